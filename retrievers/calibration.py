"""Scores on a scale a person can read: 0 is unrelated, 1 is surely about the question, a half is undecided."""

from __future__ import annotations

import math

from models.embeddings import LOCAL_MODEL

_LOGISTIC = {LOCAL_MODEL: (0.865, 0.018)}
"""Middle and width of the logistic curve from a best segment's cosine to relevance, by model (benchmarks/answers.py)."""


def relevance(cosine: float, model: str) -> float:
    """The relevance, 0 to 1, of a passage whose best segment has this cosine with the question.

    Cosines of e5 models live between 0.7 and 0.95 even for unrelated texts, so the cosine itself says little. A model that has
    not been measured gets its cosine, cut to 0 to 1.
    """
    if model not in _LOGISTIC:
        return min(1.0, max(0.0, cosine))
    middle, scale = _LOGISTIC[model]
    return 1 / (1 + math.exp(-(cosine - middle) / scale))
