"""Maximal marginal relevance: good passages that differ from each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.last_score import last_scores
from retrievers.passage_vectors import mean_vectors

Floats = npt.NDArray[np.float64]


class Mmr(BaseDocumentCompressor):
    """Puts the first `depth` passages in the order of Carbonell and Goldstein (1998); the rest follow as they were.

    The next passage is the one with the largest w * relevance - (1 - w) * largest cosine with one that was chosen before,
    where relevance is the last score (retrievers/last_score.py) and the cosine that of the passages' vectors. All of `depth` are
    ordered, however many are wanted, so a larger top_k does not change the first ones.
    """

    model_config = ConfigDict(frozen=True)

    relevance_weight: float = Field(default=0.7, ge=0, le=1)
    depth: int = Field(default=30, ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents, the first `depth` reordered and marked with their marginal relevance."""
        head = documents[: self.depth]
        with ledger.current().stage("mmr", taken_in=len(documents)):
            chosen = self._chosen(last_scores(head), _similarities(head))
            ordered = [head[place] for place, _ in chosen]
            ledger.mark(ordered, "mmr", [score for _, score in chosen])
        return [*ordered, *documents[self.depth :]]

    def _chosen(self, relevance: Floats, similarities: Floats) -> list[tuple[int, float]]:
        """(place, marginal relevance) of each in the order of choice; of equal ones the better ranked first."""
        weight = self.relevance_weight
        chosen: list[tuple[int, float]] = []
        nearest = np.zeros(len(relevance))
        left = np.ones(len(relevance), dtype=bool)
        while left.any():
            marginal = np.where(left, weight * relevance - (1 - weight) * nearest, -np.inf)
            place = int(marginal.argmax())
            chosen.append((place, float(marginal[place])))
            left[place] = False
            nearest = np.maximum(nearest, similarities[place]) if len(chosen) > 1 else similarities[place]
        return chosen


def _similarities(documents: Sequence[Document]) -> Floats:
    """Cosines, shape (documents, documents); where a passage has no vector, the mean of those known: neither near nor far."""
    vectors, known = mean_vectors(documents)
    cosines = (vectors @ vectors.T).astype(np.float64)
    pairs = np.outer(known, known)
    others = cosines[pairs & ~np.eye(len(documents), dtype=bool)]
    return np.where(pairs, cosines, others.mean() if len(others) else 0.0)
