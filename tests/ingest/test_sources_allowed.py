"""Which folders may be read from the page: those that the settings name, whatever way a path leads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.sources.allowed import allowed_folder
from ingest.sources.errors import RefusedSource, UnreachableSource
from settings import Settings, SettingsError, load_settings


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder that may be read, beside one that may not."""
    (tmp_path / "shared" / "deep" / "合同").mkdir(parents=True)
    (tmp_path / "secret" / "deep").mkdir(parents=True)
    (tmp_path / "shared-too").mkdir()
    return tmp_path / "shared"


def settings_of(*folders: Path, **changes: str) -> Settings:
    return load_settings({"sources.folders": [str(folder) for folder in folders], **changes}, env={})


@pytest.mark.parametrize(
    ("place", "found"), [("", ""), (".", ""), ("deep", "deep"), ("deep/合同", "deep/合同"), ("deep/../deep/", "deep")]
)
def test_a_path_below_an_allowed_folder_is_allowed(shared: Path, place: str, found: str) -> None:
    chosen = settings_of(shared)
    assert allowed_folder(place, chosen) == shared / found
    assert allowed_folder(str(shared / place), chosen) == shared / found


@pytest.mark.parametrize("place", ["..", "../secret", "deep/../../secret", "../shared-too", "/", "/etc", "../missing", "a\0b"])
def test_what_lies_outside_is_refused_whether_it_is_there_or_not(shared: Path, place: str) -> None:
    with pytest.raises(RefusedSource) as refused:
        allowed_folder(place, settings_of(shared))
    assert refused.value.code == "folder_not_allowed"


def test_without_allowed_folders_none_is(shared: Path) -> None:
    with pytest.raises(RefusedSource):
        allowed_folder(str(shared), settings_of())


def test_links_count_by_where_they_lead(shared: Path, tmp_path: Path) -> None:
    (shared / "out").symlink_to(tmp_path / "secret")
    (shared / "in").symlink_to(shared / "deep")
    (shared / "round").symlink_to(shared / "round")
    (tmp_path / "name").symlink_to(shared)
    for place in ("out", "out/deep", "round"):
        with pytest.raises((RefusedSource, UnreachableSource)):
            allowed_folder(place, settings_of(shared))
    assert allowed_folder("in", settings_of(shared)) == shared / "deep"
    assert allowed_folder("deep", settings_of(tmp_path / "name")) == shared / "deep"


def test_the_store_is_never_read_though_it_lies_in_an_allowed_folder(shared: Path) -> None:
    store = shared / "deep" / "data"
    (store / "files").mkdir(parents=True)
    chosen = settings_of(shared, **{"store.dir": str(store)})
    for place in ("deep/data", "deep/data/files"):
        with pytest.raises(RefusedSource):
            allowed_folder(place, chosen)
    assert allowed_folder("deep", chosen) == shared / "deep"


def test_a_folder_that_is_not_there_is_said_to_be_missing(shared: Path) -> None:
    (shared / "file.txt").write_text("x", encoding="utf-8")
    for place in ("missing", "file.txt", "x" * 5000):
        with pytest.raises(UnreachableSource) as missing:
            allowed_folder(place, settings_of(shared))
        assert missing.value.code == "no_such_folder"


def test_the_first_of_several_folders_that_has_a_path_is_taken(shared: Path, tmp_path: Path) -> None:
    assert (
        allowed_folder("deep", settings_of(tmp_path / "shared-too", tmp_path / "secret", shared)) == tmp_path / "secret" / "deep"
    )


def test_folders_are_set_as_a_list_or_parted_as_in_path(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    both = os.pathsep.join([str(one), str(two)])
    assert load_settings([f"sources.folders={both}"], env={}).sources.folders == (one, two)
    assert load_settings(env={"GLASSBOX_SOURCES__FOLDERS": both}).sources.folders == (one, two)
    for listed in (f"[{one}, {two}]", f' ["{one}", "{two}"]'):  # as it stands in config.yaml, and as JSON
        assert load_settings([f"sources.folders={listed}"], env={}).sources.folders == (one, two)
        assert load_settings(env={"GLASSBOX_SOURCES__FOLDERS": listed}).sources.folders == (one, two)
    assert load_settings(env={"GLASSBOX_SOURCES__FOLDERS": ""}).sources.folders == ()
    file = tmp_path / "c.yaml"
    file.write_text(f"sources: {{folders: ['{one}', '~/two']}}", encoding="utf-8")
    assert load_settings(path=file, env={}).sources.folders == (one, Path.home() / "two")
    for wrong in ("documents", f"{one}{os.pathsep}here", "[here]", f"[{one}"):
        with pytest.raises(SettingsError, match="whole paths of folders"):
            load_settings([f"sources.folders={wrong}"], env={})
