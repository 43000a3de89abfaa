"""The fixed chunker: chunks of one size, each repeating the end of the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ingest.chunkers.base import Piece, SpanChunker
from ingest.chunkers.bounds import WORD_END, Ruler, best_cut, unbroken
from ingest.chunkers.windows import windows

_NEAR = 0.9
"""A cut falls between words where there is a blank in the last tenth."""


class FixedChunker(SpanChunker):
    """As LangChain's CharacterTextSplitter without a separator, but a cut between words is preferred to one inside a word."""

    name: ClassVar[str] = "fixed"

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Chunks of chunk_size, the overlap included."""
        size, overlap = self.sizes.chunk_size, self.sizes.overlap

        def reach(start: int) -> int:
            limit = ruler.reach(start, size)
            return limit if limit >= len(text) else best_cut(text, start, max(limit, start + 1), (WORD_END,), least=_NEAR)

        def back(start: int, end: int) -> int:
            earliest = max(start, ruler.back(end, overlap))
            nearest = earliest + (end - earliest) // 5
            word = WORD_END.search(text, max(0, earliest - 1), nearest)
            return word.end() if word and word.end() >= earliest else unbroken(text, earliest, start)

        return [Piece(*span) for span in windows(text, reach, back)]
