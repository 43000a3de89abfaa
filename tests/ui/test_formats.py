"""What can be added is said from what is registered, all of it, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import streamlit as st

from ingest.loaders import LOADERS
from ui import strings
from ui.formats import GROUPS, suffixes, upload_help


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    st.session_state.clear()


@pytest.mark.parametrize("language", strings.LANGUAGES)
def test_every_suffix_that_is_read_is_named_once(language: str) -> None:
    strings.speak(language)
    said = upload_help()
    named = [word for line in re.findall(r"^- \*\*.*?\*\*: (.*)$", said, re.MULTILINE) for word in line.split(", ")]
    assert sorted(named) == sorted(suffix[1:] for suffix in LOADERS)
    assert len(re.findall(r"^- ", said, re.MULTILINE)) == len(GROUPS)
    assert strings.t("upload.help") in said


def test_every_loader_is_in_a_group_that_people_look_for_it_in() -> None:
    grouped = [name for readers in GROUPS.values() for name in readers]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == {loader.__name__ for loader in LOADERS.values()}
    assert suffixes()["documents"][:2] == ("pdf", "docx")
    assert "py" in suffixes()["code"]
