"""Settings in words: what a knob is called, what its value is called, and changes of settings in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ui import tuning
from ui.strings import has, plain


def name_of(setting: str) -> str:
    """What a setting is called, as plain text; a number of a layer with the layer's name in front of it."""
    short = setting.partition(".")[2]
    layer, dot, key = short.rpartition(".")
    if not has(f"knob.{short}"):
        return setting
    if not dot or key == "enabled":
        return plain(f"knob.{short}")
    return plain("tuning.of_layer", layer=layer_name(layer), name=plain(f"knob.{short}"))


def layer_name(layer: str) -> str:
    """What a layer or a leg is called, as plain text."""
    switch = f"knob.{layer}.enabled"
    if has(switch):
        return plain(switch)
    leg = f"leg.{_LEGS.get(layer, layer)}"
    return plain(leg) if has(leg) else layer


def value_of(setting: str, value: Any) -> str:
    """What a value of a setting is called, as plain text."""
    if isinstance(value, bool):
        return plain("tuning.is_on" if value else "tuning.is_off")
    key = f"choice.{setting.rpartition('.')[2]}.{value}"
    if has(key):
        return plain(key)
    return f"{value:g}" if isinstance(value, float) else str(value) or plain("tuning.empty")


def change_words(changes: Mapping[str, Any]) -> list[str]:
    """Changes of settings, one text each: name and new value, as plain text."""
    known = tuning.knobs()
    ordered = [*(name for name in known if name in changes), *(name for name in changes if name not in known)]
    return [plain("tuning.is", name=name_of(name), value=value_of(name, changes[name])) for name in ordered]


_LEGS = {"lexical": "bm25", "vector": "vector"}
