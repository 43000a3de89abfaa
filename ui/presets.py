"""Presets as files: those that everybody has, and the YAML in which a person's own are exported and imported."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from settings import Settings, SettingsError
from store.database import clean_text
from store.errors import InvalidName
from store.presets import LONGEST_NAME, Preset, checked_name
from ui import tuning

BUILT_IN, OWN = "builtin:", "own:"
LARGEST_FILE = 64 * 1024
_DEEPEST = 4
_LONGEST_VALUE = 500
_ADDRESS = "retrieval.rerank.base_url"


class PresetError(ValueError):
    """A file that is no preset: a code with values, said in words by the page (ui/strings, preset_error)."""

    def __init__(self, code: str, **params: str) -> None:
        super().__init__(f"{code} {params}")
        self.code, self.params = code, params


@cache
def built_in() -> dict[str, dict[str, Any]]:
    """What each of the built-in presets changes, by its key."""
    presets = yaml.safe_load(Path(__file__).with_name("presets.yaml").read_text(encoding="utf-8"))
    return {key: dict(_walk(changes)) for key, changes in presets.items()}


def all_presets(own: list[Preset]) -> dict[str, dict[str, Any]]:
    """Every preset's changes by its id: "builtin:" and the key, or "own:" and the name."""
    mine = {OWN + preset.name: preset.changes for preset in own}
    return {BUILT_IN + key: changes for key, changes in built_in().items()} | mine


def export(name: str, changes: Mapping[str, Any]) -> str:
    """A preset as YAML; the part below `retrieval` fits into config.yaml as well."""
    nested: dict[str, Any] = {}
    for setting, value in changes.items():
        *sections, key = setting.split(".")
        place = nested
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = value
    return yaml.safe_dump({"name": name} | (nested or {"retrieval": {}}), allow_unicode=True, sort_keys=False)


def parse(data: bytes, *, name: str, base: Settings, present: Settings) -> Preset:
    """The preset of a file; `name` is for a file that has none. Raises PresetError, which names the keys that are wrong.

    A file may come from anywhere, so it cannot name a server that questions and keys would be sent to, unless it is the one of
    the `present` settings.
    """
    content = _read(data)
    called = content.pop("name", None) or name
    changes = dict(_walk(content))
    foreign = [key for key in changes if not key.startswith("retrieval.")]
    if foreign:
        raise PresetError("not_of_retrieval", keys=", ".join(foreign))
    known = base.flat()
    wrong = [key for key, value in changes.items() if isinstance(value, bool) and not isinstance(known.get(key, value), bool)]
    if wrong or not isinstance(called, str):
        key = wrong[0] if wrong else "name"
        raise PresetError("wrong_values", detail=f"{key} = {str(changes.get(key, called)).lower()[:80]}: not of this kind.")
    try:
        values = base.override(changes).flat()
        checked = {key: values[key] for key in changes}
        called = checked_name(called)
    except (SettingsError, InvalidName, KeyError) as error:
        raise PresetError("wrong_values", detail=str(error)) from error
    if checked.get(_ADDRESS, "") not in ("", present.flat()[_ADDRESS]):
        raise PresetError("foreign_address", key=_ADDRESS, address=str(checked[_ADDRESS]))
    return Preset(called, tuning.differing(checked, base.flat()))


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it when there is one of that name: what a file says replaces nothing."""
    numbered = (f"{name[: LONGEST_NAME - 6]} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def _read(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST_FILE:
        raise PresetError("too_large", kb=str(LARGEST_FILE // 1024))
    try:
        text = data.decode("utf-8-sig")
        _check_shape(text)
        content = yaml.safe_load(text)
    except PresetError:
        raise
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:  # "!!bool x" is a KeyError in it
        raise PresetError("no_yaml", detail=str(error)[:300]) from error
    if not isinstance(content, dict):
        raise PresetError("no_preset")
    return content


def _check_shape(text: str) -> None:
    """Raises PresetError for what takes YAML very long: aliases, few of which stand for billions of values, and deep nesting."""
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > 2 * _DEEPEST:
            raise PresetError("aliases")


def _walk(content: Mapping[Any, Any], above: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The values by dotted name. Raises PresetError for what is no single value, or lies deeper than any setting."""
    for key, value in content.items():
        name = f"{above}{str(key)[:100]}"
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _walk(value, f"{name}.", depth + 1)
        elif isinstance(value, bool | int | float | str) and len(str(value)) <= _LONGEST_VALUE:
            yield name, clean_text(value) if isinstance(value, str) else value
        else:
            raise PresetError("no_value", key=name)
