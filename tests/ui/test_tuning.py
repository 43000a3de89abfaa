"""The sliders' ranges are the settings' own, and their values are kept, checked and reset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from settings import SettingsError, load_settings
from store.chats import Preferences
from store.database import connect
from ui import tuning

BASE = load_settings(env={})


@pytest.fixture
def preferences(tmp_path: Path) -> Iterator[Preferences]:
    engine = connect(tmp_path)
    yield Preferences(engine)
    engine.dispose()


@pytest.mark.parametrize("name", tuning.knobs())
def test_a_range_is_exactly_what_the_setting_allows(name: str) -> None:
    knob = tuning.knobs()[name]
    for allowed in (knob.low, knob.high):
        BASE.override({name: allowed})
    for refused in (knob.low - knob.step, knob.high + knob.step):
        with pytest.raises(SettingsError):
            BASE.override({name: refused})


def test_the_slider_starts_on_its_grid_but_shows_a_configured_value_outside_of_it() -> None:
    knob = tuning.Knob("x", 1, 4000, 50)
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
