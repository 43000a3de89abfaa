"""Jupyter notebooks: text, code and what it printed; no pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document

from ingest.errors import UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file
from ingest.loaders.markdown import first_heading
from ingest.loaders.markup import whole_markdown
from ingest.loaders.nest import escape_text, fenced, nest_markdown

_EMBEDDED = re.compile(r"!\[([^\]]*)\]\((?:data:|attachment:)[^)]*\)")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain")


class NotebookLoader(FileLoader):
    """A notebook as one Document in Markdown: code and its output in blocks."""

    def lazy_load(self) -> Iterator[Document]:
        """The cells in order. Raises UnreadableFile for what is no notebook."""
        decoded = decode_file(self.name, self.data)
        try:
            notebook = json.loads(decoded.text, strict=False) if decoded.text.strip() else {}
            text = clean("\n\n".join(block for block in _blocks(notebook) if block.strip()))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            where = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "its cells"
            raise UnreadableFile(
                self.name,
                f"the notebook is damaged ({where})",
                remedy="Open it in Jupyter and save it again, or export it as .md.",
                code="damaged_notebook",
            ) from error
        title = (notebook.get("metadata") or {}).get("title") if isinstance(notebook, dict) else None
        yield self.document(
            text,
            "markdown",
            title=title if isinstance(title, str) else first_heading(text),
            encoding=decoded.encoding,
            encoding_confidence=decoded.confidence,
        )


def _blocks(notebook: Any) -> Iterator[str]:
    language = ((notebook.get("metadata") or {}).get("kernelspec") or {}).get("language") or "python"
    cells = notebook.get("cells") or [cell for sheet in notebook.get("worksheets") or [] for cell in sheet.get("cells") or []]
    for cell in cells:
        source = _text(cell.get("source") or cell.get("input"))
        if cell.get("cell_type") == "code":
            yield fenced(source, str(language)) if source.strip() else ""
            yield from (_output(output) for output in cell.get("outputs") or [])
        elif cell.get("cell_type") == "heading":
            yield f"{'#' * int(cell.get('level') or 1)} {source}"
        elif cell.get("cell_type") == "raw":
            yield escape_text(source).text
        else:
            yield nest_markdown(_EMBEDDED.sub(r"\1", source), 0).text  # a code block left open ends with its cell


def _output(output: Any) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        text = _text(output.get("traceback"), between="\n")
        if not text or str(output.get("evalue") or "") not in text:
            text = f"{text}\n{output.get('ename')}: {output.get('evalue')}".strip()
    elif "text" in output:
        text = _text(output["text"])
    else:
        data = output.get("data") or output
        kind = next((kind for kind in _TEXT_TYPES if kind in data), None)
        if kind is None and data.get("text/html"):
            return nest_markdown(whole_markdown(_text(data["text/html"])), 0).text
        if kind is None and data.get("application/json"):
            return fenced(json.dumps(data["application/json"], ensure_ascii=False, indent=1), "json")
        text = _text(data[kind]) if kind else ""
        if kind and kind != "text/plain":
            return nest_markdown(_EMBEDDED.sub(r"\1", text), 0).text
    return fenced(text) if text.strip() else ""


def _text(source: Any, between: str = "") -> str:
    return between.join(map(str, source)) if isinstance(source, list) else str(source or "")
