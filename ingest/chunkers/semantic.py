"""The semantic chunker: langchain_experimental's thresholds over the distances of segments, with exact spans and bounds.

It keeps of its parent the kinds of breakpoint and their formulas. What the parent loses is mended here: Chinese sentences are
found, a chunk is a slice of the text, no chunk is empty or longer than the bound, and each segment is embedded once (the
parent embeds each sentence in a window of three).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, ClassVar

import numpy as np
from langchain_core.embeddings import Embeddings

from ingest.chunkers.base import Chunker, Part, Piece, Sizes
from ingest.chunkers.segments import Segment, split_segments
from language import Span, width
from store.schema import FloatArray

with warnings.catch_warnings():  # both packages announce their sunset on import; what we use of them is this one class
    warnings.simplefilter("ignore")
    from langchain_experimental.text_splitter import SemanticChunker as _SemanticChunker


@dataclass(frozen=True)
class Curve:
    """The distances of neighbouring segments, and what is compared with the threshold: these, or their gradient.

    `places` are where the gaps lie in the text: the starts of the segments behind them.
    """

    places: tuple[int, ...]
    distances: tuple[float, ...]
    compared: tuple[float, ...]
    threshold: float | None


class SemanticChunker(Chunker, _SemanticChunker):
    """Splits texts where the topic changes. Sizes are widths (language.width): a CJK character counts as 2.5."""

    name: ClassVar[str] = "semantic"

    def __init__(
        self,
        embeddings: Embeddings,
        *,
        chunk_size: int = 1200,
        min_chunk_size: int = 300,
        chunk_overlap: int = 0,
        segment_size: int = 300,
        breakpoint_type: Any = "percentile",
        breakpoint_amount: float | None = None,
    ) -> None:
        sizes = Sizes(
            chunk_size=chunk_size, min_chunk_size=min_chunk_size, chunk_overlap=chunk_overlap, segment_size=segment_size
        )
        super().__init__(embeddings, breakpoint_threshold_type=breakpoint_type, breakpoint_threshold_amount=breakpoint_amount)
        self.chunk_size, self.segment_size = sizes.chunk_size, sizes.segment_size
        self.smallest, self.overlap, self.room = sizes.smallest, sizes.overlap, sizes.room

    def segments(self, text: str, *, markdown: bool = False, page_starts: Sequence[int] = ()) -> list[Segment]:
        """The segments of a text, small enough for the chunk size."""
        return split_segments(text, size=self.segment_size, markdown=markdown, page_starts=page_starts)

    def pieces(self, text: str, segments: Sequence[Segment], vectors: FloatArray, *, markdown: bool = False) -> list[Piece]:
        """The chunks: runs of whole segments with the headings above the first."""
        return [
            Piece(
                *span_of(segments, run),
                path=segments[run.start].path,
                parts=tuple(Part(number, segments[number].start, segments[number].end) for number in run),
            )
            for run in self.group(text, segments, vectors)
        ]

    def curve(self, segments: Sequence[Segment], vectors: FloatArray) -> Curve:
        """What the breakpoints are found by; without a threshold where there are too few gaps for one."""
        distances = self.distances(vectors)
        limit, compared = self.threshold(distances) if len(distances) > 1 else (None, distances)
        places = tuple(segment.start for segment in segments[1:])
        return Curve(places, tuple(distances.tolist()), tuple(np.asarray(compared).tolist()), limit)

    def group(self, text: str, segments: Sequence[Segment], vectors: FloatArray) -> list[range]:
        """Which segments make up each chunk, given their vectors of shape (segments, dimension), of unit length."""
        if not segments:
            return []
        ruler = _Ruler(text, segments)
        pieces = self._merged(self._bounded(self._cut(segments, vectors), ruler, self.distances(vectors)), ruler)
        return [self._with_overlap(piece, before, ruler) for piece, before in zip(pieces, [range(0), *pieces[:-1]], strict=True)]

    @staticmethod
    def distances(vectors: FloatArray) -> FloatArray:
        """Cosine distance of each segment to the next, shape (segments - 1)."""
        apart: FloatArray = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
        return apart

    def threshold(self, distances: FloatArray) -> tuple[float, FloatArray]:
        """The value above which a gap is a breakpoint, and what is compared with it: the distances, or their gradient."""
        limit, compared = self._calculate_breakpoint_threshold(distances.tolist())
        return float(limit), np.asarray(compared)

    def _places(self, text: str, *, markdown: bool) -> list[Span]:
        segments = self.segments(text, markdown=markdown)
        if not segments:
            return []
        vectors = np.asarray(self.embeddings.embed_documents([text[s.start : s.end] for s in segments]), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [Span(*span_of(segments, piece)) for piece in self.group(text, segments, vectors)]

    def _cut(self, segments: Sequence[Segment], vectors: FloatArray) -> list[range]:
        """Cut before each new section and where the distance is over the threshold."""
        cuts = {i for i, segment in enumerate(segments) if segment.opens_section}
        distances = self.distances(vectors)
        if len(distances) > 1:  # of one gap there is no distribution
            limit, compared = self.threshold(distances)
            cuts |= {i + 1 for i, value in enumerate(compared) if value > limit}
        edges = [0, *sorted(cuts - {0}), len(segments)]
        return [range(a, b) for a, b in pairwise(edges)]

    def _bounded(self, pieces: list[range], ruler: _Ruler, distances: FloatArray) -> list[range]:
        """Cut what leaves no room for the overlap, from its start on, at the largest distance that leaves no side too small."""
        bounded: list[range] = []
        for piece in pieces:
            rest = piece
            while len(rest) > 1 and ruler.width(rest) > self.room:
                cut = self._best_cut(rest, ruler, distances)
                bounded.append(range(rest.start, cut))
                rest = range(cut, rest.stop)
            bounded.append(rest)
        return bounded

    def _best_cut(self, piece: range, ruler: _Ruler, distances: FloatArray) -> int:
        places = list(takewhile(lambda i: ruler.width(range(piece.start, i)) <= self.room, range(piece.start + 1, piece.stop)))
        roomy = [i for i in places if min(ruler.width(range(piece.start, i)), ruler.width(range(i, piece.stop))) >= self.smallest]
        return max(roomy or places[-1:] or [piece.start + 1], key=lambda i: float(distances[i - 1]))

    def _merged(self, pieces: list[range], ruler: _Ruler) -> list[range]:
        """Join what is too small with a neighbour where both together fit: with the one before, else with the one after."""
        merged: list[range] = []
        for piece in pieces:
            if merged and min(ruler.width(merged[-1]), ruler.width(piece)) < self.smallest:
                both = range(merged[-1].start, piece.stop)
                if ruler.width(both) <= self.room:
                    merged[-1] = both
                    continue
            merged.append(piece)
        return merged

    def _with_overlap(self, piece: range, before: range, ruler: _Ruler) -> range:
        """The piece with as many segments of the one before as fit in the overlap and the bound."""
        start = piece.start
        while start - 1 > before.start and before:
            wider = range(start - 1, piece.stop)
            if ruler.width(wider) > self.chunk_size or ruler.width(range(start - 1, piece.start)) > self.overlap:
                break
            start -= 1
        return range(start, piece.stop)


class _Ruler:
    """Widths of runs of segments, with the text between them, in constant time."""

    def __init__(self, text: str, segments: Sequence[Segment]) -> None:
        self._starts = np.zeros(len(segments))
        self._ends = np.zeros(len(segments))
        place, so_far = 0, 0.0
        for i, segment in enumerate(segments):
            so_far += width(text[place : segment.lead])
            self._starts[i] = so_far
            so_far += width(text[segment.lead : segment.end])
            self._ends[i] = so_far
            place = segment.end

    def width(self, run: range) -> float:
        return float(self._ends[run.stop - 1] - self._starts[run.start])


def span_of(segments: Sequence[Segment], run: range) -> tuple[int, int]:
    """Where a run of segments lies in the text, the headings above the first included."""
    return segments[run.start].lead, segments[run.stop - 1].end
