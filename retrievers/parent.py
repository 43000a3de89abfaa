"""The parent: a passage grows to the section it stands in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar, Protocol

from langchain_core.documents import Document
from pydantic import Field

from language import Span, width
from retrievers.expansion import Cut, Expansion, passage_span


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
    slice of the document's text. A passage whose chunker told its parent becomes that, if it is not wider than `max_size`.
    """

    stage: ClassVar[str] = "parent"

    chunks_of: Callable[[str], Sequence[ChunkSpan]]
    max_size: int = Field(default=3000, ge=1)

    def _cut(self, query: str) -> Cut:
        return _Sections(self.chunks_of, self.max_size)


class _Sections:
    """The sections of the documents that a question's passages are of; the chunks of each are asked for once."""

    def __init__(self, chunks_of: Callable[[str], Sequence[ChunkSpan]], max_size: int) -> None:
        self._chunks_of = lru_cache(maxsize=None)(lambda doc_id: sorted(chunks_of(doc_id), key=lambda c: (c.start, c.end)))
        self._max_size = max_size

    def core(self, document: Document) -> Span:
        return passage_span(document)

    def grown(self, document: Document, core: Span, free: Span, text: str) -> Span:
        parent = self._known(document, core, free, text)
        if parent:
            return parent
        heading, chunks = document.metadata.get("heading"), self._chunks_of(document.metadata["doc_id"])
        before = bisect_left(chunks, core.start, key=lambda chunk: chunk.start)
        after = bisect_right(chunks, core.end, key=lambda chunk: chunk.end)
        span = core
        while True:
            left = self._joined(span, chunks[before - 1 : before], heading, free, text)
            right = self._joined(span, chunks[after : after + 1], heading, free, text)
            if left is None and right is None:
                return span
            if right is None or (left is not None and width(text[left.start : core.start]) < width(text[core.end : right.end])):
                span, before = left or span, before - 1
            else:
                span, after = right, after + 1

    def _known(self, document: Document, core: Span, free: Span, text: str) -> Span | None:
        """The parent that a hierarchical chunker told of the passage, as far as it is free, if it is not too wide."""
        if "parent" not in document.metadata:
            return None
        start, end = document.metadata["parent"]
        parent = Span(min(core.start, max(start, free.start)), max(core.end, min(end, free.end)))
        return parent if width(text[parent.start : parent.end]) <= self._max_size else None

    def _joined(self, span: Span, chunks: Sequence[ChunkSpan], heading: str | None, free: Span, text: str) -> Span | None:
        """The span with the chunk beside it; None when there is none, or it is of another section, not free, or too much."""
        if not chunks or (chunks[0].heading or None) != (heading or None):
            return None
        grown = Span(min(span.start, chunks[0].start), max(span.end, chunks[0].end))
        is_free = free.start <= grown.start and grown.end <= free.end
        return grown if is_free and width(text[grown.start : grown.end]) <= self._max_size else None
