"""Settings in tables (.toml, .ini): each table below its name, its lines and comments as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.loaders.nest import fenced

_TABLE = re.compile(r"[ \t]*\[{1,2}[ \t]*([^\[\]\n]{1,200}?)[ \t]*\]{1,2}[ \t]*(?:[#;].*)?$")


class IniLoader(FileLoader):
    """A file of settings as one Document in Markdown, with a heading for every table."""

    def lazy_load(self) -> Iterator[Document]:
        """The tables in order. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        text = "\n\n".join(_sections(decoded.text))
        yield self.document(text, "markdown", encoding=decoded.encoding, encoding_confidence=decoded.confidence)


def _sections(text: str) -> Iterator[str]:
    name, lines = "", list[str]()
    for line in [*text.splitlines(), None]:
        table = _TABLE.match(line) if line is not None else None
        if table or line is None:
            block = "\n".join(lines).strip("\n")
            if block.strip():
                yield f"# {name}\n\n{fenced(block)}" if name else fenced(block)
            name, lines = table[1] if table else "", []
        if line is not None:
            lines.append(line)
