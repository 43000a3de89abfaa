"""Grounds the answers of a chat model in the passages that it was given."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel

from chains.grounding.judge import judged
from chains.grounding.result import Grounded, Grounding
from chains.grounding.sources import Source, Vectors, stored_vectors
from chains.grounding.statements import statements
from chains.grounding.support import Thresholds, supported
from chains.packing import Numbered
from models import ModelError
from retrievers import Retriever
from retrievers.ledger import current
from store.library import Base

MOST_STATEMENTS = 60
"""Sentences of an answer that are embedded; of a longer one, those behind are held against the sources by words alone."""


class Grounder:
    """Links each sentence of an answer to the sentences of the passages that support it. `judge` is asked too, if there is one.

    The passages' vectors are those in the store, so that only the answer's sentences are embedded: about 30 ms each, locally.
    """

    def __init__(self, retriever: Retriever, bases: Sequence[Base], *, judge: BaseChatModel | None = None) -> None:
        self._retriever, self._bases, self._judge = retriever, bases, judge

    def ground(self, question: str, answer: str, contexts: Numbered, *, finished: bool = True) -> Grounding:
        """The grounding of an answer whose [n] is `contexts[n]`. Raises StoreError; a failing model only makes a note."""
        said = statements(answer, finished=finished)
        words = self._retriever.words_of(self._bases)
        try:
            vectors: Vectors = stored_vectors(self._retriever, self._bases, tuple(contexts.values()))
            own = [words.vectors.of(each.text) if each.checked else None for each in said[:MOST_STATEMENTS]]
        except ModelError as error:
            current().note("grounding_by_words_only", error=str(error))
            vectors, own = {}, []
        limits = Thresholds.of(words.vectors.model)
        sources = [Source(n, each, vectors) for n, each in contexts.items()]
        vectors_of = [*own, *[None] * (len(said) - len(own))]
        found = [
            supported(each, vector, sources, limits, question=question) if each.checked else Grounded.unchecked(each)
            for each, vector in zip(said, vectors_of, strict=True)
        ]
        heard = judged(self._judge, question, found, said, tuple(contexts.values())) if self._judge else None
        return Grounding(tuple(heard or found), judged=heard is not None)
