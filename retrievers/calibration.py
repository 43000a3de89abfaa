"""Scores on a scale a person can read: 0 is unrelated, 1 is surely about the question, a half is undecided."""

from __future__ import annotations

import math
from collections.abc import Sequence

from models.embeddings import LOCAL_MODEL

_LOGISTIC = {LOCAL_MODEL: (0.865, 0.018)}
"""Middle and width of the logistic curve from a best segment's cosine to relevance, by model (benchmarks/answers.py)."""
EVIDENCE_MIDDLE = 0.9
"""Where own and foreign questions part (retrievers/evidence.py; the default of retrieval.evidence_threshold)."""
ROUNDING = 0.01
"""How far a score may lie outside 0 to 1 and still be meant as 0 or 1: servers compute in half precision."""


def relevance(cosine: float, model: str, *, evidence: float = 0.0) -> float:
    """The relevance, 0 to 1, of a passage whose best segment has this cosine with the question, or this evidence for an answer.

    Cosines of e5 models live between 0.7 and 0.95 even for unrelated texts, so the cosine itself says little; of a bare name or
    number it says nothing, and there the words that the passage holds make it relevant. A model that has not been measured gets
    its cosine, cut to 0 to 1.
    """
    if model not in _LOGISTIC:
        return min(1.0, max(0.0, cosine))
    middle, scale = _LOGISTIC[model]
    return max(_logistic((cosine - middle) / scale), _logistic((evidence - EVIDENCE_MIDDLE) / scale))


def rerank_relevance(scores: Sequence[float]) -> list[float]:
    """The relevance of each of the scores that a reranker gave the passages of one question.

    Cohere, Jina, TEI and vLLM give them between 0 and 1 already. When any lies outside, all of them are logits, as llama.cpp's
    server and cross-encoders trained on MS MARCO give them: the logistic function, which such models are trained under, makes
    probabilities of these. Both keep the order.
    """
    if all(-ROUNDING <= score <= 1 + ROUNDING for score in scores):
        return [min(1.0, max(0.0, score)) for score in scores]
    return [_logistic(score) for score in scores]


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
