"""Where a document is opened, and what of it is shown at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ingest.names import is_web, suffix_of
from ui.excerpts import Span, parts
from ui.safe import whole_name

_PART = 20_000
"""Characters of a text that are shown at once."""


@dataclass(frozen=True)
class Place:
    """Where to open a document: at the first of the `spans` of its text, which are marked, or `at` a place, with none.

    `heading` is the path of headings that lead there, as plain text.
    """

    doc_id: str
    spans: tuple[Span, ...] = ()
    at: int = 0
    heading: str = ""

    @property
    def start(self) -> int:
        """Where it is opened."""
        return min((start for start, _ in self.spans), default=self.at)


@dataclass(frozen=True)
class Leaf:
    """What is shown at once: `text[start:end]` of a document, which is its page, if it has pages that can be shown."""

    start: int
    end: int
    page: int = 1

    def spans_of(self, place: Place) -> tuple[Span, ...]:
        """What of the passage is on it, as places in the document's text."""
        inside = ((max(start, self.start), min(end, self.end)) for start, end in place.spans)
        return tuple((start, end) for start, end in inside if start < end)

    def goes_on(self, place: Place) -> bool:
        """Whether the passage begins on it or before it, and goes on after it."""
        return any(start < self.end < end for start, end in place.spans)


def leaves_of(text: str, pages: Sequence[tuple[int, int, int]], *, drawn: bool) -> list[Leaf]:
    """The pages (page, start, end) of a document that can be `drawn`, all of it if it has none; else the parts of its text."""
    if drawn:
        return [Leaf(start, end, page) for page, start, end in pages] or [Leaf(0, len(text))]
    return [Leaf(start, end) for start, end in parts(text, size=_PART)]


def leaf_at(leaves: Sequence[Leaf], place: int) -> int:
    """The number, from 1, of the leaf that a place in the text is on."""
    return max((number for number, leaf in enumerate(leaves, start=1) if leaf.start <= place), default=1)


def located(text: str, start: int, quote: str) -> Span | None:
    """Where a quote stands that stood at `start` once: there, else at the nearest place; None where the text has it no more."""
    if not quote:
        return None
    if text.startswith(quote, start):
        return start, start + len(quote)
    before, after = text.rfind(quote, 0, start + len(quote)), text.find(quote, start)
    found = min((at for at in (before, after) if at >= 0), key=lambda at: abs(at - start), default=None)
    return None if found is None else (found, found + len(quote))


def download_name(source: str) -> str:
    """What the original file is called when it is saved: without folders, and of an address the last part of its path."""
    path = unquote(urlsplit(source).path) if is_web(source) else source
    name = whole_name(PurePosixPath(path.replace("\\", "/")).name).strip(". ")
    if is_web(source) and not suffix_of(name):
        return f"{name or 'page'}.html"
    return name or "document"
