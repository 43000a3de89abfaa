"""The hierarchical chunker: small chunks are searched, and each knows the larger one that it is part of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ingest.chunkers.base import Piece, Sizes
from ingest.chunkers.bounds import Ruler, joined
from ingest.chunkers.recursive import RecursiveChunker, recursive_spans, whole_sections
from language import Span


class HierarchicalChunker(RecursiveChunker):
    """Parents of at most `parent_size`, cut at headings first; in each, children of at most chunk_size.

    LangChain's ParentDocumentRetriever and LlamaIndex's HierarchicalNodeParser store parents a second time; here a parent is a
    span of the document, which each child carries.
    """

    name: ClassVar[str] = "hierarchical"

    def __init__(self, sizes: Sizes | None = None, *, parent_size: int = 3000) -> None:
        super().__init__(sizes)
        self.parent_size = max(parent_size, self.sizes.chunk_size)

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """The children of one parent after the other."""
        return [
            Piece(*span, parent=parent)
            for parent in self._parents(text, ruler, markdown)
            for span in self.spans(text, parent, ruler)
        ]

    def _parents(self, text: str, ruler: Ruler, markdown: bool) -> list[Span]:
        """Neighbouring sections that are small are one parent; one that is too wide is several, which join no other's."""
        size, found = self.parent_size, list[Span]()
        small: list[Span] = []
        for section in whole_sections(text, markdown=markdown):
            parts = recursive_spans(text, Span(section.start, section.end), size=size, ruler=ruler)
            if len(parts) == 1:
                small += parts
                continue
            found += joined(small, smallest=size / 2, room=size, ruler=ruler)
            found += joined(parts, smallest=size / 2, room=size, ruler=ruler)
            small = []
        return found + joined(small, smallest=size / 2, room=size, ruler=ruler)
