"""The contexts of an answer as its sentences are held against them: segments with the stored vectors, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chains.grounding.names import KnownWords
from chains.grounding.quantities import Quantities, quantities
from language import detect, sentences, term_set
from retrievers import Context, Retriever
from retrievers.evidence import spans_of
from store.library import Base
from store.schema import FloatArray

Vectors = Mapping[tuple[str, int, int], FloatArray]
"""A segment's vector by its document's id and its place."""


@dataclass(frozen=True)
class SourceSentence:
    """A sentence of context `n` by its place in the document, in the context's segment number `segment`, -1 for none."""

    n: int
    segment: int
    start: int
    end: int
    text: str

    @property
    def terms(self) -> frozenset[str]:
        """Its words, stemmed, and pairs of Chinese characters."""
        return term_set(self.text)


class Source:
    """Context number `n`, as the model read it."""

    def __init__(self, n: int, context: Context, vectors: Vectors) -> None:
        self.n, self.context = n, context
        self.language = detect(context.text)
        self._vectors = [vectors.get((context.doc_id, each.start, each.end)) for each in context.segments]

    @cached_property
    def text(self) -> str:
        """All that stands in it: its file's name and its headings, too, say whom or what it is about."""
        return "\n".join([self.context.source, self.context.heading or "", self.context.text])

    @cached_property
    def sentences(self) -> list[SourceSentence]:
        """All its sentences; `segment` is -1 for what lies in none, such as a heading, or text that a passage grew by."""
        begin = self.context.start
        return [
            SourceSentence(self.n, self._segment_at(begin + a), begin + a, begin + b, self.context.text[a:b])
            for a, b in sentences(self.context.text, language=self.language)
        ]

    @cached_property
    def quantities(self) -> Quantities:
        """All numbers in it."""
        return quantities(self.text)

    @cached_property
    def words(self) -> KnownWords:
        """The Latin words in it."""
        return KnownWords(self.text)

    def cosines(self, vector: FloatArray | None) -> list[float | None]:
        """The cosine of a unit vector with each segment's; None where that has none."""
        return [None if vector is None or own is None else float(own @ vector) for own in self._vectors]

    def _segment_at(self, place: int) -> int:
        return next((n for n, each in enumerate(self.context.segments) if each.start <= place < each.end), -1)


def stored_vectors(retriever: Retriever, bases: Sequence[Base], contexts: Sequence[Context]) -> Vectors:
    """The vectors of all segments of the contexts, as they were stored; of one that grew, those of the chunks it grew over."""
    found: dict[tuple[str, int, int], FloatArray] = {}
    for _, part in retriever.opened(bases):
        ids = {context.chunk_id for context in contexts}
        for context in contexts:
            if context.matched:
                ids |= {chunk.id for chunk in part.store.chunks_at(context.doc_id, context.start, context.end)}
        for chunk in part.store.candidates(sorted(ids)):
            vectors = chunk.segment_vectors
            for (start, end), vector in zip(spans_of(chunk), vectors if vectors is not None else (), strict=False):
                found[chunk.metadata.get("doc_id", ""), start, end] = np.asarray(vector, dtype=np.float32)
    return found
