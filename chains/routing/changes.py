"""What a route changes of the settings, for one question: never what a person has set."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from chains.routing.route import RouteName
from settings import Settings

TOP_K = "retrieval.top_k"
RERANK = "retrieval.rerank.enabled"
MOST = 50
"""Contexts (the range of retrieval.top_k)."""
_MORE: Mapping[RouteName, float] = {"none": 1.0, "simple": 1.0, "medium": 1.5, "complex": 2.0}
"""How many times as many contexts there are: a list or an overview is spread over more of them, a comparison over those of its
parts. A fact needs no more than the setting says, and never gets fewer."""


def set_by_hand(settings: Settings, named: Collection[str] = ()) -> frozenset[str]:
    """The settings that somebody decided on: those `named`, whatever their value, and those that are not the default."""
    usual = _defaults()
    return frozenset(named) | {name for name, value in settings.flat().items() if value != usual.get(name)}


def changes_of(name: RouteName, layers: Collection[str], settings: Settings, *, own: Collection[str]) -> dict[str, Any]:
    """What the route and the `layers` that it switches on change of these settings, without what is in `own`.

    A reranker is switched on only where one is set up: the built-in one compares by the vectors that the fusion has weighed
    already, and does not win on all kinds of documents (benchmarks/quality.py).
    """
    if name in ("none", "simple"):
        return {}
    changes: dict[str, Any] = {TOP_K: min(MOST, math.ceil(settings.retrieval.top_k * _MORE[name]))}
    if _has_reranker(settings):
        changes[RERANK] = True
    changes |= {f"retrieval.{layer}.enabled": True for layer in layers}
    present = settings.flat()
    return {key: value for key, value in changes.items() if key not in own and value != present[key]}


def _has_reranker(settings: Settings) -> bool:
    """Whether a reranker other than the built-in one is set up, so that it could be switched on."""
    chosen = settings.retrieval.rerank
    if chosen.provider == "endpoint":
        return bool(chosen.base_url)
    return chosen.provider != "maxsim" and bool(chosen.model)


@cache
def _defaults() -> dict[str, Any]:
    return Settings().flat()
