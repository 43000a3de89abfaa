"""Presets are kept under any name, one a name, across a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.database import connect
from store.errors import InvalidName
from store.presets import LONGEST_NAME, Preset, Presets


def test_a_preset_is_kept_replaced_by_one_of_its_name_and_deleted(tmp_path: Path) -> None:
    engine = connect(tmp_path)
    presets = Presets(engine)
    presets.save("b", {"retrieval.top_k": 3})
    presets.save("a", {})
    presets.save("  b ", {"retrieval.mmr.enabled": True, "retrieval.mmr.relevance_weight": 0.25})
    engine.dispose()
    reopened = connect(tmp_path)
    kept = Presets(reopened)
    assert kept.all() == [
        Preset("a", {}),
        Preset("b", {"retrieval.mmr.enabled": True, "retrieval.mmr.relevance_weight": 0.25}),
    ]
    kept.delete("a")
    kept.delete("nobody")
    assert [preset.name for preset in kept.all()] == ["b"]
    reopened.dispose()


@pytest.mark.parametrize("name", ["'; DROP TABLE presets; --", "<b>**x**</b>", "预设", "../../etc", "\ud800x", "a\nb"])
def test_a_hostile_name_is_just_text(tmp_path: Path, name: str) -> None:
    engine = connect(tmp_path)
    presets = Presets(engine)
    saved = presets.save(name, {})
    assert presets.all() == [saved]
    presets.delete(saved.name)
    assert presets.all() == []
    engine.dispose()


@pytest.mark.parametrize("name", ["", " \n ", "x" * (LONGEST_NAME + 1)])
def test_a_blank_or_very_long_name_is_refused(tmp_path: Path, name: str) -> None:
    engine = connect(tmp_path)
    with pytest.raises(InvalidName, match="from 1 to 80"):
        Presets(engine).save(name, {})
    engine.dispose()
