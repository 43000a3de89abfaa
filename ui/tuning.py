"""The knobs of the side panel: which settings they turn, their ranges (settings/schema.py's), and their values in the store."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from settings import Fusion, Settings, SettingsError
from store.chats import Preferences

PREFERENCE = "tuning"
FUSION = "retrieval.fusion"
RRF_CONSTANT = "retrieval.rrf_c"
RETRIEVAL = {
    "retrieval.vector_weight": 0.05,
    "retrieval.top_k": 1,
    "retrieval.depth": 5,
    RRF_CONSTANT: 1,
    "retrieval.score_threshold": 0.01,
    "retrieval.evidence_threshold": 0.01,
}
CHUNKING = {"ingest.chunk_size": 50, "ingest.min_chunk_size": 50, "ingest.chunk_overlap": 50}


@dataclass(frozen=True)
class Knob:
    """A slider: the setting's dotted name, its lowest and highest value and its step (all ints, or all floats)."""

    name: str
    low: float
    high: float
    step: float

    def range_for(self, value: float) -> tuple[float, float]:
        """Lowest and highest, on the grid of the step, but wide enough for a `value` that the configuration set outside of it."""
        on_grid = type(self.step)(math.ceil(self.low / self.step) * self.step)
        return min(on_grid, value), max(self.high, value)


@cache
def knobs() -> dict[str, Knob]:
    """Every knob by its setting's name. The ranges are those of the settings themselves, never repeated here."""
    return {name: _knob(name, step) for name, step in (RETRIEVAL | CHUNKING).items()}


def names() -> list[str]:
    """The settings that the panel can change."""
    return [*knobs(), FUSION]


def load(preferences: Preferences, base: Settings) -> dict[str, Any]:
    """The kept changes; one that is no longer allowed (the range or the name may have changed) is left out."""
    kept = preferences.get(PREFERENCE)
    if not isinstance(kept, dict):
        return {}
    return {name: value for name, value in kept.items() if name in names() and _allowed(base, name, value)}


def save(preferences: Preferences, base: Settings, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep those of `values` that differ from the configuration, and give them back."""
    configured = base.flat()
    changed = {name: value for name, value in values.items() if value != configured[name]}
    if changed:
        preferences.set(PREFERENCE, changed)
    else:
        preferences.delete(PREFERENCE)
    return changed


def retrieval_values(settings: Settings) -> dict[str, Any]:
    """What decides which passages are found, to be kept beside an answer and compared later."""
    return {name: value for name, value in settings.flat().items() if name in RETRIEVAL or name == FUSION}


def fusions() -> list[str]:
    """The fusion methods, the default first."""
    return [method.value for method in Fusion]


def _allowed(base: Settings, name: str, value: Any) -> bool:
    try:
        base.override({name: value})
    except SettingsError:
        return False
    return True


def _knob(name: str, step: float) -> Knob:
    section, key = name.split(".")
    field: FieldInfo = Settings.model_fields[section].annotation.model_fields[key]  # type: ignore[union-attr]
    low = next(limit.ge for limit in field.metadata if isinstance(limit, Ge))
    high = next(limit.le for limit in field.metadata if isinstance(limit, Le))
    kind = type(step)
    return Knob(name, kind(low), kind(high), step)  # type: ignore[arg-type]
