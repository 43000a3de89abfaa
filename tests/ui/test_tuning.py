"""The sliders' ranges are the settings' own, and their values are kept, checked and reset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from settings import SettingsError, load_settings
from store.chats import Preferences
from store.database import connect
from ui import tuning
from ui.layers import GROUPS

BASE = load_settings(env={})


@pytest.fixture
def preferences(tmp_path: Path) -> Iterator[Preferences]:
    engine = connect(tmp_path)
    yield Preferences(engine)
    engine.dispose()


def of_kind(kind: str) -> list[str]:
    return [name for name, knob in tuning.knobs().items() if knob.kind == kind]


@pytest.mark.parametrize("name", of_kind("number"))
def test_a_range_is_exactly_what_the_setting_allows(name: str) -> None:
    knob = tuning.knobs()[name]
    for allowed in (knob.low, knob.high):
        BASE.override({name: allowed})
    for refused in (knob.low - knob.step, knob.high + knob.step):
        with pytest.raises(SettingsError):
            BASE.override({name: refused})


@pytest.mark.parametrize("name", of_kind("choice"))
def test_every_option_is_allowed_and_the_configured_one_is_among_them(name: str) -> None:
    knob = tuning.knobs()[name]
    assert BASE.flat()[name] in knob.options
    for option in knob.options:
        BASE.override({name: option})


def test_every_setting_of_retrieval_has_its_place_on_the_panel_once() -> None:
    shown = [name for group in ("basic", *GROUPS) for name in tuning.group_names(group)]
    assert sorted(shown) == sorted(name for name in BASE.flat() if name.startswith("retrieval."))


def test_a_layer_that_is_not_whole_is_left_off_and_says_what_it_lacks() -> None:
    used, lacking = tuning.usable(BASE, {"retrieval.rerank.enabled": True, "retrieval.rerank.provider": "cohere"})
    assert not used.retrieval.rerank.enabled
    assert "model must be set" in lacking
    used, lacking = tuning.usable(BASE, {"retrieval.rerank.enabled": True, "retrieval.top_k": 3})
    assert (used.retrieval.rerank.enabled, used.retrieval.top_k, lacking) == (True, 3, "")


def test_an_answer_of_an_older_version_was_found_with_what_is_configured_for_the_rest() -> None:
    configured = BASE.flat()
    assert tuning.used_for({"retrieval.top_k": 3, "gone": 1}, configured) == tuning.retrieval_values(BASE) | {
        "retrieval.top_k": 3
    }


def test_the_slider_starts_on_its_grid_but_shows_a_configured_value_outside_of_it() -> None:
    knob = tuning.Knob("x", low=1, high=4000, step=50)
    assert knob.range_for(300) == (50, 4000)
    assert knob.range_for(7) == (7, 4000)


def test_only_changes_are_kept_and_a_reset_keeps_nothing(preferences: Preferences) -> None:
    values = {name: BASE.flat()[name] for name in tuning.names()}
    assert tuning.save(preferences, BASE, values | {"retrieval.top_k": 3}) == {"retrieval.top_k": 3}
    assert tuning.load(preferences, BASE) == {"retrieval.top_k": 3}
    assert tuning.save(preferences, BASE, values) == {}
    assert preferences.get(tuning.PREFERENCE) is None


def test_a_kept_value_that_is_no_longer_allowed_is_left_out(preferences: Preferences) -> None:
    preferences.set(
        tuning.PREFERENCE, {"retrieval.top_k": 10_000, "llm.provider": "openai", "gone.knob": 1, "retrieval.depth": 50}
    )
    assert tuning.load(preferences, BASE) == {"retrieval.depth": 50}
    preferences.set(tuning.PREFERENCE, ["nonsense"])
    assert tuning.load(preferences, BASE) == {}
