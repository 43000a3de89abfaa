"""A loaded file as one text, with what the loaders said of it: the text that every chunk is a slice of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from langchain_core.documents import Document
from pydantic import JsonValue

from ingest.errors import Reason
from store.database import clean_text

BETWEEN_PARTS = "\n\n"
WhyUnread = Literal["off", "missing", "failed", "nonsense_off", "nonsense_missing", "nonsense_failed"]


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
    are pages that need OCR and did not get it, as (page, why); nonsense is text whose fonts do not tell its letters. `type` is
    what it was read as, a suffix such as "pdf"; `read_as` is the kind of content that the name did not tell. `author`, `created`
    (YYYY-MM-DD or a part of it) and `keywords` are what the file says of itself; `left_out` are repeated lines that cleaning
    dropped, as (line, how often). Of a `damaged` file parts may be missing.
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
    unread_pages: tuple[tuple[int, WhyUnread], ...] = ()
    type: str | None = None
    read_as: str | None = None
    author: str | None = None
    created: str | None = None
    keywords: tuple[str, ...] = ()
    language: str | None = None
    left_out: tuple[tuple[str, int], ...] = ()
    damaged: bool = False

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
    laid = list(_laid(parts))
    first = ChainMap(*(about for about, _, _ in laid))  # what several say, the first one says
    read = [(about["ocr_confidence"], len(text)) for about, text, _ in laid if about.get("ocr_confidence") is not None]
    skipped = [(name, reason) for about, _, _ in laid for name, reason in about.get("skipped", ())]
    return LoadedDocument(
        source=source,
        text=BETWEEN_PARTS.join(text for _, text, _ in laid),
        markdown=first.get("format") == "markdown",
        title=first.get("title"),
        pages=tuple(PageSpan(about["page"], start, start + len(text)) for about, text, start in laid if "page" in about),
        rows=tuple(
            RowSpan(about.get("sheet"), row, start + begin, start + end)
            for about, _, start in laid
            for row, begin, end in about.get("rows", ())
        ),
        encoding=first.get("encoding"),
        encoding_confidence=first.get("encoding_confidence"),
        ocr_pages=len(read),
        ocr_confidence=round(sum(c * n for c, n in read) / sum(n for _, n in read), 3) if any(n for _, n in read) else None,
        skipped=tuple((clean_text(name), clean_text(reason)) for name, reason in skipped),
        skipped_why=tuple(_why(reason) for _, reason in skipped),
        unread_pages=tuple((about["page"], about["ocr_needed"]) for about, _, _ in laid if about.get("ocr_needed")),
        read_as=first.get("read_as"),
        damaged=any(about.get("damaged") for about, _, _ in laid),
    )


def _laid(parts: Iterable[Document]) -> Iterator[tuple[dict[str, Any], str, int]]:
    """Of each part its metadata, its text as it is stored, and where that begins in the document."""
    start = 0
    for part in parts:
        text = clean_text(part.page_content).replace("\0", " ")
        yield part.metadata, text, start
        start += len(text) + len(BETWEEN_PARTS)


def _why(reason: str) -> tuple[str, dict[str, Any]]:
    """The code and values of why a part could not be read."""
    return (reason.code, reason.params) if isinstance(reason, Reason) else ("part_unread", {"message": reason})
