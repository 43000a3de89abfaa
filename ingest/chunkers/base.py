"""What all chunkers have in common: a text in, chunks as exact slices of it out, each with the segments that lie in it.

Segments belong to the document and are embedded once, whatever chunks are made of them. A chunker that needs no vectors has its
segments end where its chunks do, so that a chunk's vectors are of its own text. Only a cut inside an overlap that would leave
too little text is none: there a segment reaches over the end of a chunk, and of it the chunk has the part within itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil
from typing import Any, ClassVar, NamedTuple

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from ingest.chunkers.bounds import Ruler, stripped
from ingest.chunkers.segments import Segment, split_segments
from language import Span, width
from store.schema import FloatArray

LEAST_SHARE = 1 / 6
"""Of a segment's size: between two cuts inside overlaps less text makes no vector worth having."""


class Part(NamedTuple):
    """What of a segment, by its number, lies in a chunk: `text[start:end]`."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True)
class Piece:
    """A chunk before it is stored: `text[start:end]` with at least one part of a segment, under a path of headings or keys.

    `parent` is the larger span that it was cut from, `window` the sentences around it, by chunkers that know these.
    """

    start: int
    end: int
    path: tuple[str, ...] | None = None
    parts: tuple[Part, ...] = ()
    parent: Span | None = None
    window: Span | None = None

    def metadata(self) -> dict[str, Any]:
        """What retrieval may want to know beyond the columns of a chunk."""
        spans = {"parent": self.parent, "window": self.window}
        return {name: list(span) for name, span in spans.items() if span}


class Chunker(ABC):
    """Cuts texts into pieces. As a LangChain splitter it has split_text, create_documents, split_documents."""

    name: ClassVar[str]

    @abstractmethod
    def segments(self, text: str, *, markdown: bool = False, page_starts: Sequence[int] = ()) -> list[Segment]:
        """The segments of a text in order: what is embedded."""

    @abstractmethod
    def pieces(self, text: str, segments: Sequence[Segment], vectors: FloatArray, *, markdown: bool = False) -> list[Piece]:
        """The chunks in order, given the segments' vectors of shape (segments, dimension), of unit length."""

    def split_text(self, text: str, *, markdown: bool = False) -> list[str]:
        """The chunks of a text, each a slice of it."""
        return [text[start:end] for start, end in self._places(text, markdown=markdown)]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """One Document a chunk, with its place in the text as start_index and end_index."""
        documents = []
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True):
            for start, end in self._places(text, markdown=metadata.get("format") == "markdown"):
                place = {"start_index": start, "end_index": end}
                documents.append(Document(text[start:end], metadata=deepcopy(metadata) | place))
        return documents

    @abstractmethod
    def _places(self, text: str, *, markdown: bool) -> list[Span]:
        """Where the chunks of a text lie."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How large chunks and segments are, as widths (language.width). Minimum and overlap count up to half of chunk_size."""

    chunk_size: int = 1200
    min_chunk_size: int = 300
    chunk_overlap: int = 0
    segment_size: int = 300
    smallest: int = field(init=False)
    overlap: int = field(init=False)
    room: int = field(init=False)
    """What a chunk may be before it gets its overlap."""

    def __post_init__(self) -> None:
        for name, least in (("chunk_size", 2), ("min_chunk_size", 0), ("chunk_overlap", 0), ("segment_size", 1)):
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"{name} is {value}; it must be {least} at least")
        object.__setattr__(self, "smallest", min(self.min_chunk_size, self.chunk_size // 2))
        object.__setattr__(self, "overlap", min(self.chunk_overlap, self.chunk_size // 2))
        object.__setattr__(self, "room", self.chunk_size - self.overlap)
        object.__setattr__(self, "segment_size", min(self.segment_size, self.chunk_size // 2))


class SpanChunker(Chunker, TextSplitter):
    """A chunker that needs no vectors to know where to cut."""

    def __init__(self, sizes: Sizes | None = None) -> None:
        self.sizes = sizes or Sizes()
        super().__init__(self.sizes.chunk_size, self.sizes.overlap, measured, add_start_index=True, strip_whitespace=False)
        self._cuts = lru_cache(maxsize=1)(self._cut)

    @abstractmethod
    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Where the chunks lie, in order, without blanks around them; each non-blank character is in one."""

    def segments(self, text: str, *, markdown: bool = False, page_starts: Sequence[int] = ()) -> list[Segment]:
        """The segments of a text, ending where its chunks do."""
        pieces = self._cuts(text, markdown)
        cuts = [*_borders(text, pieces, least=self.sizes.segment_size * LEAST_SHARE), *self.inner_cuts(text, pieces)]
        found = split_segments(text, size=self.sizes.segment_size, markdown=markdown, page_starts=page_starts, cuts=cuts)
        return [self._under(segment, pieces) for segment in found]

    def pieces(self, text: str, segments: Sequence[Segment], vectors: FloatArray, *, markdown: bool = False) -> list[Piece]:
        """The chunks with the segments in them; the vectors are not looked at."""
        return with_parts(text, self._cuts(text, markdown), segments)

    def inner_cuts(self, text: str, pieces: Sequence[Piece]) -> Sequence[int]:
        """Places inside chunks that no segment should cross."""
        return ()

    def _places(self, text: str, *, markdown: bool) -> list[Span]:
        return [Span(piece.start, piece.end) for piece in self._cuts(text, markdown)]

    def _cut(self, text: str, markdown: bool) -> tuple[Piece, ...]:
        return tuple(self.cut(text, Ruler(text), markdown=markdown)) if text.strip() else ()

    @staticmethod
    def _under(segment: Segment, pieces: Sequence[Piece]) -> Segment:
        """The segment under the path of its chunk, where the chunker knows that better."""
        piece = pieces[max(0, bisect_right(pieces, segment.start, key=lambda each: each.start) - 1)]
        return segment if piece.path is None else replace(segment, path=piece.path)


def measured(text: str) -> int:
    """The width as a whole number, rounded up: what LangChain's splitters measure by."""
    return ceil(width(text))


def with_parts(text: str, pieces: Sequence[Piece], segments: Sequence[Segment]) -> list[Piece]:
    """The pieces with what of the segments lies in them; the path is the first segment's where the chunker gave none."""
    ends = [segment.end for segment in segments]
    found = []
    for piece in pieces:
        first = bisect_right(ends, piece.start)
        last = bisect_left(segments, piece.end, first, key=lambda segment: segment.lead)
        parts = [part for number in range(first, last) if (part := _part(text, piece, number, segments[number]))]
        if not parts:  # nothing but a heading, whose segment begins behind it
            number = min(first, len(segments) - 1)
            parts = [Part(number, piece.start, piece.end)]
        path = segments[parts[0].segment].path if piece.path is None else piece.path
        found.append(replace(piece, path=path, parts=tuple(parts)))
    return found


def _part(text: str, piece: Piece, number: int, segment: Segment) -> Part | None:
    start, end = max(segment.start, piece.start), min(segment.end, piece.end)
    span = stripped(text, start, end) if start < end else None
    return Part(number, *span) if span else None


def _borders(text: str, pieces: Sequence[Piece], *, least: float) -> list[int]:
    """Where chunks begin and end, but for those inside overlaps that leave less than `least` width to a neighbouring border."""
    hard = _hard(pieces)
    edges = {place: place in hard for piece in pieces for place in (piece.start, piece.end)}
    kept: list[int] = []
    for place in sorted(edges):
        if not kept or width(text[kept[-1] : place]) >= least:
            kept.append(place)
        elif edges[place]:
            if not edges[kept[-1]]:
                kept.pop()
            kept.append(place)
    return kept


def _hard(pieces: Sequence[Piece]) -> set[int]:
    """The borders that no other chunk lies across."""
    found: set[int] = set()
    for number, piece in enumerate(pieces):
        if number == 0 or pieces[number - 1].end <= piece.start:
            found.add(piece.start)
        if number + 1 == len(pieces) or pieces[number + 1].start >= piece.end:
            found.add(piece.end)
    return found
