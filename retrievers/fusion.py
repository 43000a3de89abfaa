"""Fusion: the scores of several legs become one, as pure functions of the legs' lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from settings import Fusion

Leg = Mapping[str, float]
"""The candidates of a leg, best first: id -> score, higher is better."""


def fuse(
    legs: Sequence[Leg], weights: Sequence[float], *, method: Fusion, c: int, without: Sequence[int] = ()
) -> dict[str, float]:
    """The fused score of every candidate of a leg with weight, best first; equal scores stay in the order of the legs.

    rrf         sum of weight / (c + rank)  (Cormack, Clarke and Büttcher, 2009)
    min_max     sum of weight * (s - min) / (max - min) over the leg's own candidates  (Fox and Shaw, 1994, CombSUM)
    standard    sum of weight * (s - mean) / deviation, shifted so that the leg's last candidate has 0: a leg whose best
                candidates stand out counts more
    A candidate that a leg has not found gets nothing from it. `without` says of each leg how many further candidates are known to
    have 0 there: the only one of many that holds a number stands out far more than one of many that hold a word.
    """
    total: dict[str, float] = defaultdict(float)
    for leg, weight, zeros in zip(legs, weights, without or [0] * len(legs), strict=True):
        if weight > 0:
            for key, value in _contributions(leg, method, c, zeros).items():
                total[key] += weight * value
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def _contributions(leg: Leg, method: Fusion, c: int, zeros: int) -> dict[str, float]:
    if not leg:
        return {}
    if method is Fusion.RRF:
        return {key: 1 / (c + rank) for rank, key in enumerate(leg, start=1)}
    scores = np.array(list(leg.values()))
    if method is Fusion.MIN_MAX:
        low, spread = scores.min(), scores.max() - scores.min()
    else:
        every = np.concatenate([scores, np.zeros(zeros)])
        low, spread = every.min(), every.std()
    if spread < np.finfo(np.float32).eps:  # all alike: each stands out as much as the next
        return dict.fromkeys(leg, 1.0)
    return dict(zip(leg, ((scores - low) / spread).tolist(), strict=True))
