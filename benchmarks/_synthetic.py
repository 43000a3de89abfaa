"""A synthetic collection like a real one: words by Zipf's law, vectors in clusters, several segments a chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from language.stopwords import ENGLISH
from models.base import GlassboxEmbeddings
from store.schema import Chunk, FloatArray, SegmentSpan

WORDS, ZIPF = 50_000, 1.1
CHUNK_WORDS, SEGMENTS = 120, 4
CLUSTERS, DIMENSION = 400, 384
CLUSTER_SPREAD, SEGMENT_SPREAD, QUERY_SPREAD = 0.9, 0.35, 0.5
"""Lengths of the random part beside a vector of length 1: of a chunk beside its cluster, a segment or query beside the chunk."""
BATCH = 5000


@dataclass(frozen=True)
class Collection:
    """`size` chunks and `queries` questions, each about one of them; the same `seed` gives the same."""

    size: int
    queries: int
    seed: int = 7

    def chunks(self) -> Iterator[list[Chunk]]:
        """The chunks, in batches."""
        for first in range(0, self.size, BATCH):
            numbers = range(first, min(first + BATCH, self.size))
            yield [self._chunk(number, vectors) for number, vectors in zip(numbers, self._segments(first), strict=False)]

    def texts(self) -> Iterator[str]:
        """The texts of the chunks."""
        return (" ".join(self._words_of(number)) for number in range(self.size))

    def vectors(self) -> Iterator[FloatArray]:
        """The vectors of the chunks, in batches (chunks, dimension)."""
        for batch in self.chunks():
            yield np.stack([chunk.vector for chunk in batch])

    @cached_property
    def questions(self) -> dict[str, FloatArray]:
        """Each question with its vector: three words of its chunk's rarer ones among eight of any, which makes the eleven words
        that questions of XQuAD have on average, stop words for the most part.
        """
        draw, asked = np.random.default_rng(self.seed + 1), {}
        for number in sorted(draw.choice(self.size, self.queries, replace=False).tolist()):
            words = self._words_of(number)
            rare = sorted(set(words), key=lambda word: -self._rank[word])[:20]
            text = " ".join(draw.permutation([*draw.choice(rare, 3, replace=False), *draw.choice(words, 8)]))
            near = _unit(self._segments(number - number % BATCH)[number % BATCH].mean(axis=0))
            asked[text] = _unit(near + _directions(draw, 1)[0] * QUERY_SPREAD)
        return asked

    def _chunk(self, number: int, vectors: FloatArray) -> Chunk:
        words = self._words_of(number)
        parts = [" ".join(part) for part in np.array_split(np.array(words), SEGMENTS)]
        ends = np.cumsum([len(part) + 1 for part in parts])
        spans = tuple(SegmentSpan(int(end) - len(part) - 1, int(end) - 1) for part, end in zip(parts, ends, strict=True))
        text = " ".join(parts)
        return Chunk(
            id=f"{number:08}",
            text=text,
            embed_text=text,
            vector=_unit(vectors.mean(axis=0)),
            segments=spans,
            segment_vectors=vectors,
            doc_id=f"document-{number // 50}",
            source=f"{number // 50}.txt",
            chunk_index=number % 50,
            start=0,
            end=len(text),
        )

    def _words_of(self, number: int) -> list[str]:
        draw = np.random.default_rng((self.seed, number))
        return [self._vocabulary[rank] for rank in np.searchsorted(self._cumulated, draw.random(CHUNK_WORDS))]

    def _segments(self, first: int) -> FloatArray:
        """The vectors of the segments of the batch that begins with this chunk, shape (BATCH, segments, dimension)."""
        draw = np.random.default_rng((self.seed, 1, first))
        centres = self._centres[draw.integers(CLUSTERS, size=BATCH)] + _directions(draw, BATCH) * CLUSTER_SPREAD
        around = _directions(draw, BATCH * SEGMENTS).reshape(BATCH, SEGMENTS, DIMENSION) * SEGMENT_SPREAD
        return _unit(centres[:, None] + around)

    @cached_property
    def _vocabulary(self) -> list[str]:
        """The words by rank: as in English, the most frequent ones are stop words."""
        frequent = sorted(ENGLISH)
        return [*frequent, *(f"w{rank}" for rank in range(len(frequent), WORDS))]

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {word: rank for rank, word in enumerate(self._vocabulary)}

    @cached_property
    def _cumulated(self) -> FloatArray:
        shares = 1 / np.arange(1, WORDS + 1) ** ZIPF
        cumulated: FloatArray = np.cumsum(shares / shares.sum())
        cumulated[-1] = 1.0
        return cumulated

    @cached_property
    def _centres(self) -> FloatArray:
        return _directions(np.random.default_rng(self.seed), CLUSTERS)


class Prepared(GlassboxEmbeddings):
    """An embedder that knows the questions' vectors, so that only retrieval is timed."""

    provider, model, dimension = "benchmark", "prepared", DIMENSION

    def __init__(self, questions: dict[str, FloatArray]) -> None:
        self._questions = questions

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._questions[text].tolist()  # type: ignore[no-any-return]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Not for documents: theirs are given with them."""
        raise NotImplementedError


def _directions(draw: np.random.Generator, count: int) -> FloatArray:
    return _unit(draw.standard_normal((count, DIMENSION), dtype=np.float32))


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
