"""What a base and its embedder know of words, for whoever prepares a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrievers.query_vectors import QueryVectors


@dataclass(frozen=True)
class Words:
    """How a text is parted into words, those of Chinese as they stand in it, and how much phrases are alike."""

    tokens: Callable[[str], list[str]]
    vectors: QueryVectors

    def alike(self, phrase: str, others: Sequence[str]) -> list[float]:
        """The cosine of the phrase with each of the others. Raises ModelError."""
        vector = self.vectors.of(phrase)
        return [float(self.vectors.of(other) @ vector) for other in others]
