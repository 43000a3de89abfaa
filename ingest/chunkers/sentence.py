"""The sentence chunker: so many sentences a chunk, the last of them repeated at the start of the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ingest.chunkers.base import Piece, Sizes, SpanChunker
from ingest.chunkers.bounds import Ruler
from language import Span, sentences


class SentenceChunker(SpanChunker):
    """`count` sentences a chunk, fewer where they would be wider than chunk_size.

    The overlap is `repeated` whole sentences, or without that as many as are at most chunk_overlap wide.
    """

    name: ClassVar[str] = "sentence"

    def __init__(self, sizes: Sizes | None = None, *, count: int = 8, repeated: int | None = None) -> None:
        super().__init__(sizes)
        self.count, self.repeated = count, repeated

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Runs of sentences; none is empty, and each holds a sentence that the one before it does not."""
        found = sentences(text, longest=self.sizes.chunk_size)
        return [Piece(found[run.start].start, found[run.stop - 1].end) for run in self._runs(found, ruler)]

    def _runs(self, found: Sequence[Span], ruler: Ruler) -> Iterator[range]:
        start = stop = 0
        while stop < len(found):
            new = stop
            stop = new + 1
            while stop < len(found) and stop - start < self.count and self._fits(found, start, stop, ruler):
                stop += 1
            yield range(start, stop)
            start = self._next(found, start, stop, ruler)

    def _fits(self, found: Sequence[Span], first: int, last: int, ruler: Ruler) -> bool:
        return ruler.width(found[first].start, found[last].end) <= self.sizes.chunk_size

    def _next(self, found: Sequence[Span], start: int, stop: int, ruler: Ruler) -> int:
        """Where the chunk after this one begins: back from its end, as far as the next sentence still fits in."""
        following = stop
        most = self.count - 1 if self.repeated is None else self.repeated
        while (
            stop < len(found)
            and following - 1 > start
            and stop - following < most
            and self._fits(found, following - 1, stop, ruler)
        ):
            if ruler.width(found[following - 1].start, found[stop - 1].end) > self.sizes.overlap:
                break
            following -= 1
        return following


class SentenceWindowChunker(SentenceChunker):
    """Each sentence is a chunk and knows the window of `around` sentences on each side, which retrieval may show instead.

    LlamaIndex's SentenceWindowNodeParser keeps the window's text; here it is a span of the document.
    """

    name: ClassVar[str] = "sentence_window"

    def __init__(self, sizes: Sizes | None = None, *, around: int = 3) -> None:
        super().__init__(sizes, count=1, repeated=0)
        self.around = around

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """One chunk a sentence."""
        found = sentences(text, longest=self.sizes.chunk_size)
        last = len(found) - 1
        return [
            Piece(*span, window=Span(found[max(0, n - self.around)].start, found[min(last, n + self.around)].end))
            for n, span in enumerate(found)
        ]
