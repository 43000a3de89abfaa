"""What every reranker offers, and the check of what a server gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

LARGEST_SCORE = 1e6
"""Probabilities and logits are far below; what is above is rubbish, and sums of it would be infinite."""


class Reranker(ABC):
    """Scores texts against a question, higher is nearer; the scale is the model's own (retrievers/calibration.py reads it)."""

    name: str
    """Which scores these are: provider, place and model, for caches and messages; no key is in it."""

    @abstractmethod
    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score a text, in the order of the texts; [] for none. Raises ModelError."""


def in_order(rows: Iterable[tuple[Any, Any]], count: int) -> list[float]:
    """One score a text from (index, score) pairs, which servers give best first.

    Raises ValueError, which says what is wrong, unless each of the `count` texts has one score and that is a finite number.
    """
    found: dict[int, float] = {}
    for index, score in rows:
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise ValueError(f"the index {index!r} for {count} texts")
        if index in found:
            raise ValueError(f"two scores for text {index}")
        found[index] = finite(score)
    if len(found) != count:
        raise ValueError(f"{len(found)} scores for {count} texts")
    return [found[index] for index in range(count)]


def finite(score: Any) -> float:
    """The score as a float. Raises ValueError when it is no finite number, or one that no model gives."""
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"the score {score!r}, which is no number") from error
    if isinstance(score, bool | str) or not abs(number) <= LARGEST_SCORE:  # which no comparison of NaN is
        raise ValueError(f"the score {score!r}, which is no finite number")
    return number
