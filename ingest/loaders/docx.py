"""Word documents as Markdown: text, tables, notes, comments and text boxes in place; headers and footers once, at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.documents import Document

from ingest.errors import LoadError, UnreadableFile
from ingest.loaders.base import FileLoader, sensible_title
from ingest.loaders.clean import clean, fold_lookalikes
from ingest.loaders.enclosed import enclosed
from ingest.loaders.markdown import first_heading
from ingest.loaders.ooxml import core_title, embedded, main_part, related
from ingest.loaders.package import Package
from ingest.loaders.word import W
from ingest.loaders.word.body import Story
from ingest.loaders.word.drawings import Drawings
from ingest.loaders.word.inserted import read_inserted
from ingest.loaders.word.numbering import Numbering, value
from ingest.loaders.word.styles import Styles

_DAMAGED = "Open it in a word processor and save it again as .docx."
_REPEATED = (r"word/header\d*\.xml", r"word/footer\d*\.xml")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|第|-)?\W*\d+\W*(?:页|頁|ページ)?\W*(?:(?:of|von|/|共|总)?\W*\d+\W*(?:页|頁)?)?\W*", re.IGNORECASE
)


class DocxLoader(FileLoader):
    """A Word document, as one Document in Markdown, and those of the Office documents that it holds as objects.

    Of pictures there is what describes them, of links their text.
    """

    def lazy_load(self) -> Iterator[Document]:
        """The text. Raises TooLarge, EncryptedFile or UnreadableFile; no part is expanded before its size is checked."""
        try:
            package = Package(self.name, self.data, self.settings.parse)
            chunks = read_inserted(self, package, main_part(package))
            text, title = _text(package, chunks.texts), sensible_title(core_title(package))
            files = list(embedded(package, main_part(package)))
        except (LoadError, MemoryError):
            raise
        except Exception as error:  # parsers of foreign input raise anything
            raise UnreadableFile(self.name, "the Word document is damaged", remedy=_DAMAGED, code="damaged_docx") from error
        yield self.document(text, "markdown", title=title or first_heading(text), skipped=chunks.skipped or None)
        yield from enclosed(self, files)


def _text(package: Package, inserted: Mapping[str, str]) -> str:
    main = main_part(package)
    body = package.xml(main).find(f"{W}body")
    if body is None:
        raise ValueError("no body")
    parts = dict(related(package, main).values())
    comments = _comments(package, parts.get("comments", "word/comments.xml"))
    story = Story(
        styles=Styles(package.xml(parts.get("styles", ""))),
        numbering=Numbering(package.xml(parts.get("numbering", ""))),
        drawings=Drawings(package, main),
        notes=_notes(package, parts),
        comments=comments,
        inserted=inserted,
    )
    texts = [story.text(body)]
    rest = [*_repeated(package, story), *(text for number, text in comments.items() if number not in story.told)]
    return fold_lookalikes("\n\n".join(filter(None, [*texts, *(["---", *rest] if rest else [])])))


def _notes(package: Package, parts: Mapping[str, str]) -> dict[tuple[str, str], Any]:
    """Footnotes and endnotes, but for the lines between them and the text."""
    found = {}
    for kind in ("footnote", "endnote"):
        root = package.xml(parts.get(f"{kind}s", ""))
        for note in () if root is None else root.iterchildren(f"{W}{kind}"):
            if value(note, "type") in ("", "normal"):
                found[kind, value(note, "id")] = note
    return found


def _comments(package: Package, part: str) -> dict[str, str]:
    """The comments by their ids, each behind the name of its author."""
    root = package.xml(part)
    found = {}
    for comment in () if root is None else root.iterchildren(f"{W}comment"):
        text = " ".join(clean(" ".join(_plain(each) for each in comment.iter(f"{W}p"))).split())
        if text:
            author = " ".join(clean(value(comment, "author")).split())
            found[value(comment, "id")] = f"[{author}: {text}]" if author else f"[{text}]"
    return found


def _repeated(package: Package, story: Story) -> list[str]:
    """The paragraphs of headers and footers, each text once; page numbers are none."""
    found: dict[str, None] = {}
    for pattern in _REPEATED:
        for name in sorted(name for name in package.names if re.fullmatch(pattern, name)):
            for block in replace(story, drawings=Drawings(package, name)).blocks(package.xml(name)):
                if not _PAGE_NUMBER.fullmatch(block.text):
                    found.setdefault(block.text.lstrip("# "))
    return list(found)


def _plain(paragraph: Any) -> str:
    return "".join((each.text or "") if each.tag == f"{W}t" else " " for each in paragraph.iter(f"{W}t", f"{W}tab", f"{W}br"))
