"""The parent: a passage grows to the section it stands in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from langchain_core.documents import Document
from pydantic import Field

from language import Span, width
from retrievers.expansion import Expansion, passage_span


class ChunkSpan(Protocol):
    """Where a chunk lies in its document, and the path of headings it stands under."""

    @property
    def start(self) -> int:
        """Where it begins in the document's text."""

    @property
    def end(self) -> int:
        """Where it ends, exclusive."""

    @property
    def heading(self) -> str | None:
        """Its path of headings, as in a candidate's metadata."""


class Parent(Expansion):
    """A passage grows by the chunks beside it under the same headings, on the narrower side first, up to `max_size` wide.

    Sizes are widths (language.width). A passage that is larger than `max_size` stays as it is. `chunks_of` gives the chunks of a
    document by its id, in any order. LangChain's ParentDocumentRetriever keeps parents in a second store; here a section is a
    slice of the document's text.
    """

    stage: ClassVar[str] = "parent"

    chunks_of: Callable[[str], Sequence[ChunkSpan]]
    max_size: int = Field(default=3000, ge=1)

    def _core_of(self, query: str) -> Callable[[Document], Span]:
        return passage_span

    def _grown(self, document: Document, core: Span, free: Span, text: str) -> Span:
        section = _Section(document.metadata.get("heading"), free, text, self.max_size)
        chunks = sorted(self.chunks_of(document.metadata["doc_id"]), key=lambda chunk: (chunk.start, chunk.end))
        before = [chunk for chunk in chunks if chunk.start < core.start]
        after = [chunk for chunk in reversed(chunks) if chunk.end > core.end]
        span = core
        while True:
            left = section.with_neighbour(span, before)
            right = section.with_neighbour(span, after)
            if left is None and right is None:
                return span
            if right is None or (left is not None and width(text[left.start : core.start]) < width(text[core.end : right.end])):
                span = left or span
                before.pop()
            else:
                span = right
                after.pop()


class _Section:
    """What a passage may grow into."""

    def __init__(self, heading: str | None, free: Span, text: str, max_size: int) -> None:
        self._heading, self._free, self._text, self._max_size = heading, free, text, max_size

    def with_neighbour(self, span: Span, chunks: Sequence[ChunkSpan]) -> Span | None:
        """The span with the last of the chunks; None when that is of another section, not free, or too much."""
        if not chunks or (chunks[-1].heading or None) != (self._heading or None):
            return None
        grown = Span(min(span.start, chunks[-1].start), max(span.end, chunks[-1].end))
        free = self._free.start <= grown.start and grown.end <= self._free.end
        return grown if free and width(self._text[grown.start : grown.end]) <= self._max_size else None
