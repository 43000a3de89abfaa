"""The last score of passages: what a layer that works with scores goes on from, whichever layers came before it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document

from retrievers.ledger import score_of

LATEST_FIRST = ("recency", "rerank", "bases", "fused")
"""The stages whose scores say how well a passage fits, the last of the pipeline first. Several bases are fused each by
itself, and only the score of `bases` compares their passages."""


def last_scores(documents: Sequence[Document], stages: Sequence[str] = LATEST_FIRST) -> npt.NDArray[np.float64]:
    """The min-max of the last of these scores that each document has, shape (documents,): 1 is the best, 0 the last of its stage.

    Scores of different stages cannot be compared. Where the last stage scored only some (a reranker reads no more than its
    depth), the others follow from 0 down to -1, by the stage before it. Documents without any score count 1 / rank.
    """
    last = np.array([_last_stage(document, stages) for document in documents], dtype=int)
    scores = np.zeros(len(documents))
    for below, stage in enumerate(np.unique(last).tolist()):
        group = np.flatnonzero(last == stage).tolist()
        raw = [_score(documents[i], stages[stage] if stage < len(stages) else None, rank=i + 1) for i in group]
        scores[group] = _min_max(np.array(raw)) - below
    return scores


def _last_stage(document: Document, stages: Sequence[str]) -> int:
    """The place of the first of the stages that scored it; one behind them for a document without scores."""
    return next((place for place, name in enumerate(stages) if score_of(document, name) is not None), len(stages))


def _score(document: Document, stage: str | None, *, rank: int) -> float:
    score = score_of(document, stage) if stage else None
    return 1 / rank if score is None else score


def _min_max(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    low, spread = scores.min(), scores.max() - scores.min()
    return (scores - low) / spread if spread > np.finfo(np.float32).eps else np.ones_like(scores)
