"""The knobs of the side panel: which settings they turn, their ranges (the settings' own), and their values in the store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Literal, get_args

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from settings import Settings, SettingsError
from store.chats import Preferences
from ui.layers import GROUPS

PREFERENCE = "tuning"
FUSION = "retrieval.fusion"
RRF_CONSTANT = "retrieval.rrf_c"
RERANK = "retrieval.rerank.enabled"
BASIC = (
    "retrieval.vector_weight",
    "retrieval.top_k",
    "retrieval.depth",
    FUSION,
    RRF_CONSTANT,
    "retrieval.score_threshold",
    "retrieval.evidence_threshold",
)
OVERLAP = "ingest.chunk_overlap"
CHUNKING = ("ingest.chunk_size", "ingest.min_chunk_size", OVERLAP)
CONVERSATION = ("conversation.standalone", "conversation.route", "conversation.route_by")
GROUNDING, JUDGE, CACHE = "answer.grounding.enabled", "answer.grounding.judge", "answer.cache.enabled"
ANSWERING = (
    "answer.max_quotes",
    "answer.quote_margin",
    "answer.max_context_chars",
    GROUNDING,
    "answer.grounding.refuse_below",
    JUDGE,
    CACHE,
    "answer.cache.days",
)
_STEPS: dict[str, float] = {
    "retrieval.vector_weight": 0.05,
    "retrieval.depth": 5,
    "retrieval.rerank.timeout_seconds": 1.0,
    "retrieval.mmr.relevance_weight": 0.05,
    "retrieval.recency.half_life_days": 1.0,
    "retrieval.recency.weight": 0.05,
    "retrieval.parent.max_size": 100,
    "retrieval.token_budget.tokens": 250,
    "answer.max_context_chars": 250,
    "answer.grounding.refuse_below": 0.05,
    "answer.cache.days": 1.0,
    **dict.fromkeys(CHUNKING, 50),
}
_MOST_STEPS = 400
"""With more, a slider could not be set to one of them, and the value is typed."""

Kind = Literal["switch", "number", "choice", "text"]


@dataclass(frozen=True)
class Knob:
    """What turns a setting of this dotted name.

    A number has its lowest and highest value and its step (all ints, or all floats), a choice its options, the default first.
    """

    name: str
    kind: Kind = "number"
    low: float = 0
    high: float = 0
    step: float = 1
    options: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The name without its section, under which its words are kept."""
        return self.name.partition(".")[2]

    @property
    def is_typed(self) -> bool:
        """Whether the range is too wide for a slider."""
        return (self.high - self.low) / self.step > _MOST_STEPS

    def range_for(self, value: float) -> tuple[float, float]:
        """Lowest and highest, on the grid of the step, but wide enough for a `value` that the configuration set outside of it."""
        on_grid = type(self.step)(math.ceil(self.low / self.step) * self.step)
        return min(on_grid, value), max(self.high, value)


@cache
def knobs() -> dict[str, Knob]:
    """Every knob by its setting's name: all of retrieval, chunking, conversation and answer. Ranges are those of the settings."""
    return {name: _knob(name) for name in (*retrieval_names(), *CHUNKING, *CONVERSATION, *ANSWERING)}


@cache
def knob(name: str) -> Knob:
    """What turns the setting of this dotted name, of the panel or not."""
    return _knob(name)


def names() -> list[str]:
    """The settings that the panel can change."""
    return list(knobs())


@cache
def retrieval_names() -> tuple[str, ...]:
    """The settings of retrieval: what decides which passages are found."""
    return tuple(name for name in Settings().flat() if name.startswith("retrieval."))


def group_names(group: str) -> list[str]:
    """The settings of a group of the panel: basic, finding, choosing, preparing or chunking."""
    if group == "basic":
        return list(BASIC)
    if group == "chunking":
        return list(CHUNKING)
    return [name for layer in GROUPS[group] for name in layer_names(layer.name)]


def layer_names(layer: str) -> list[str]:
    """The settings of a layer, its switch first."""
    return [name for name in retrieval_names() if name.startswith(f"retrieval.{layer}.")]


def load(preferences: Preferences, base: Settings) -> dict[str, Any]:
    """The kept changes; one that is no longer allowed (the range or the name may have changed) is left out."""
    kept = preferences.get(PREFERENCE)
    return allowed(base, kept) if isinstance(kept, dict) else {}


def save(preferences: Preferences, base: Settings, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep those of `values` that differ from the configuration, and give them back."""
    changed = differing(values, base.flat())
    if changed:
        preferences.set(PREFERENCE, changed)
    else:
        preferences.delete(PREFERENCE)
    return changed


def allowed(base: Settings, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the changes that are of knobs, and whose value can be set."""
    return {name: value for name, value in changes.items() if name in knobs() and _allowed(base, name, value)}


def differing(values: Mapping[str, Any], configured: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that are not the configured ones."""
    return {name: value for name, value in values.items() if value != configured.get(name)}


def usable(base: Settings, changes: Mapping[str, Any]) -> tuple[Settings, str]:
    """The settings with the changes, and ""; a reranker without its model or address stays off, and the text says what lacks."""
    try:
        return base.override(changes), ""
    except SettingsError as error:
        return base.override({**changes, RERANK: False}), str(error)


def retrieval_values(settings: Settings) -> dict[str, Any]:
    """What decides which passages are found, to be kept beside an answer and compared later."""
    values = settings.flat()
    return {name: values[name] for name in retrieval_names()}


def answer_values(settings: Settings) -> dict[str, Any]:
    """What decides how an answer is put together, to be kept beside it."""
    values = settings.flat()
    return {name: values[name] for name in ANSWERING}


def used_for(kept: Mapping[str, Any], configured: Mapping[str, Any]) -> dict[str, Any]:
    """The values that an answer was found with; where it is of an older version, the configured ones stand for what it lacks."""
    return {name: kept.get(name, configured[name]) for name in retrieval_names()}


def of_retrieval(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the changes that are of retrieval."""
    return {name: value for name, value in changes.items() if name in retrieval_names()}


def without(changes: Mapping[str, Any], gone: Iterable[str]) -> dict[str, Any]:
    """The changes but for these names."""
    left_out = set(gone)
    return {name: value for name, value in changes.items() if name not in left_out}


def _allowed(base: Settings, name: str, value: Any) -> bool:
    try:
        usable(base, {name: value})
    except SettingsError:
        return False
    return True


def _knob(name: str) -> Knob:
    field = _field(name)
    kind = field.annotation
    if kind == int | None:  # a number that may be left to the app
        kind = int
    if kind is bool:
        return Knob(name, "switch")
    if kind is str:
        return Knob(name, "text")
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return Knob(name, "choice", options=tuple(each.value for each in kind))
    if kind is not int and kind is not float:
        return Knob(name, "choice", options=get_args(kind))
    low = next(limit.ge for limit in field.metadata if isinstance(limit, Ge))
    high = next(limit.le for limit in field.metadata if isinstance(limit, Le))
    step = _STEPS.get(name, 1 if kind is int else 0.01)
    return Knob(name, "number", kind(low), kind(high), kind(step))  # type: ignore[arg-type]


def _field(name: str) -> FieldInfo:
    model: Any = Settings
    *sections, key = name.split(".")
    for section in sections:
        model = model.model_fields[section].annotation
    found: FieldInfo = model.model_fields[key]
    return found
