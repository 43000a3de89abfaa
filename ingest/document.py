"""A loaded file as one text, with what the loaders said of it: the text that every chunk is a slice of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from langchain_core.documents import Document
from pydantic import JsonValue

from ingest.errors import Reason
from store.database import clean_text

BETWEEN_PARTS = "\n\n"


class PageSpan(NamedTuple):
    """Where a page lies in the text."""

    page: int
    start: int
    end: int


class RowSpan(NamedTuple):
    """Where a row of a table lies in the text, by the number that a spreadsheet program shows; `sheet` is None in a file without.

    What is told of several rows at once, and a row that is told in several pieces, makes several spans.
    """

    sheet: str | None
    row: int
    start: int
    end: int


@dataclass(frozen=True)
class LoadedDocument:
    """The text of a file. `pages` and `rows` are empty for files that have none; `encoding` is known for text files only.

    `ocr_confidence` (0 to 1) is that of `ocr_pages` pages or pictures, weighted by their lengths; `skipped` are the parts of an
    archive that gave no text, as (name, reason), and `skipped_why` are the codes and the params of the reasons. `unread_pages`
    are pages that need OCR and did not get it, as (page, why): off, missing or failed. `type` is what it was read as, a suffix
    such as "pdf"; `read_as` is the kind of content that the name did not tell. `author`, `created` (YYYY-MM-DD or a part of it)
    and `keywords` are what the file says of itself; `left_out` are repeated lines that cleaning dropped, as (line, how often).
    """

    source: str
    text: str
    markdown: bool = False
    title: str | None = None
    pages: tuple[PageSpan, ...] = ()
    rows: tuple[RowSpan, ...] = ()
    encoding: str | None = None
    encoding_confidence: float | None = None
    ocr_pages: int = 0
    ocr_confidence: float | None = None
    skipped: tuple[tuple[str, str], ...] = ()
    skipped_why: tuple[tuple[str, dict[str, JsonValue]], ...] = ()
    unread_pages: tuple[tuple[int, Literal["off", "missing", "failed"]], ...] = ()
    type: str | None = None
    read_as: str | None = None
    author: str | None = None
    created: str | None = None
    keywords: tuple[str, ...] = ()
    language: str | None = None
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def pages_without_text(self) -> int:
        """How many pages hold nothing that can be read without OCR."""
        return sum(not self.text[page.start : page.end].strip() for page in self.pages)

    def page_of(self, place: int) -> int | None:
        """The page that a place in the text lies on."""
        before = bisect_right(self.pages, place, key=lambda page: page.start)
        if not before or place >= self.pages[before - 1].end + len(BETWEEN_PARTS):  # beyond is a part without pages
            return None
        return self.pages[before - 1].page

    def rows_within(self, start: int, end: int) -> tuple[str | None, int, int] | None:
        """The sheet that a span of the text begins in, with the first and the last of its rows there; None without rows."""
        first = bisect_right(self.rows, start, key=lambda row: row.end)
        last = bisect_left(self.rows, end, first, key=lambda row: row.start)
        if first == last:
            return None
        sheet = self.rows[first].sheet
        numbers = [row.row for row in self.rows[first:last] if row.sheet == sheet]
        return sheet, min(numbers), max(numbers)


def join(source: str, parts: Iterable[Document]) -> LoadedDocument:
    """The parts that a loader yields, with a blank line between them, as one document.

    A part's `rows` are (row, start, end) in its own text, in order; its `sheet` is theirs.
    """
    texts: list[str] = []
    pages: list[PageSpan] = []
    rows: list[RowSpan] = []
    metadata: dict[str, Any] = {}
    read: list[tuple[float, int]] = []
    skipped: list[tuple[str, str]] = []
    whys: list[tuple[str, dict[str, Any]]] = []
    unread: list[tuple[int, Literal["off", "missing", "failed"]]] = []
    start = 0
    for part in parts:
        texts.append(clean_text(part.page_content).replace("\0", " "))
        end = start + len(texts[-1])
        if "page" in part.metadata:
            pages.append(PageSpan(part.metadata["page"], start, end))
        sheet = part.metadata.get("sheet")
        rows.extend(RowSpan(sheet, row, start + first, start + last) for row, first, last in part.metadata.get("rows", ()))
        if (confidence := part.metadata.get("ocr_confidence")) is not None:
            read.append((confidence, len(texts[-1])))
        for name, reason in part.metadata.get("skipped", ()):
            skipped.append((clean_text(name), clean_text(reason)))
            whys.append(_why(reason))
        if why := part.metadata.get("ocr_needed"):
            unread.append((part.metadata["page"], why))
        start = end + len(BETWEEN_PARTS)
        metadata = part.metadata | metadata
    return LoadedDocument(
        source=source,
        text=BETWEEN_PARTS.join(texts),
        markdown=metadata.get("format") == "markdown",
        title=metadata.get("title"),
        pages=tuple(pages),
        rows=tuple(rows),
        encoding=metadata.get("encoding"),
        encoding_confidence=metadata.get("encoding_confidence"),
        ocr_pages=len(read),
        ocr_confidence=round(sum(c * n for c, n in read) / sum(n for _, n in read), 3) if any(n for _, n in read) else None,
        skipped=tuple(skipped),
        skipped_why=tuple(whys),
        unread_pages=tuple(unread),
        read_as=metadata.get("read_as"),
    )


def _why(reason: str) -> tuple[str, dict[str, Any]]:
    """The code and values of why a part could not be read."""
    return (reason.code, reason.params) if isinstance(reason, Reason) else ("part_unread", {"message": reason})
