"""A loaded file as one text, with what the loaders said of it: the text that every chunk is a slice of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.documents import Document

from store.database import clean_text

BETWEEN_PARTS = "\n\n"


class PageSpan(NamedTuple):
    """Where a page lies in the text."""

    page: int
    start: int
    end: int


@dataclass(frozen=True)
class LoadedDocument:
    """The text of a file. `pages` is empty for files without pages; `encoding` is known for text files only."""

    source: str
    text: str
    markdown: bool = False
    title: str | None = None
    pages: tuple[PageSpan, ...] = ()
    encoding: str | None = None
    encoding_confidence: float | None = None

    @property
    def pages_without_text(self) -> int:
        """How many pages hold nothing that can be read without OCR."""
        return sum(not self.text[page.start : page.end].strip() for page in self.pages)

    def page_of(self, place: int) -> int | None:
        """The page that a place in the text lies on."""
        before = bisect_right(self.pages, place, key=lambda page: page.start)
        return self.pages[before - 1].page if before else None


def join(source: str, parts: Iterable[Document]) -> LoadedDocument:
    """The parts that a loader yields, with a blank line between them, as one document."""
    texts: list[str] = []
    pages: list[PageSpan] = []
    metadata: dict[str, Any] = {}
    start = 0
    for part in parts:
        texts.append(clean_text(part.page_content).replace("\0", " "))
        end = start + len(texts[-1])
        if "page" in part.metadata:
            pages.append(PageSpan(part.metadata["page"], start, end))
        start = end + len(BETWEEN_PARTS)
        metadata = part.metadata | metadata
    return LoadedDocument(
        source=source,
        text=BETWEEN_PARTS.join(texts),
        markdown=metadata.get("format") == "markdown",
        title=metadata.get("title"),
        pages=tuple(pages),
        encoding=metadata.get("encoding"),
        encoding_confidence=metadata.get("encoding_confidence"),
    )
