"""The user guide, which is the sample base too: both languages have the same pages with the same sections."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from settings import load_settings
from ui.components.welcome import sample_files
from ui.strings import LANGUAGES, table

GUIDE = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.name for path in (GUIDE / "en").glob("*.md"))


def text(language: str, page: str) -> str:
    return (GUIDE / language / page).read_text(encoding="utf-8")


def test_there_are_pages() -> None:
    assert len(PAGES) >= 4


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_same_sections_in_both_languages(page: str) -> None:
    outlines = [re.findall(r"^#+", text(language, page), re.MULTILINE) for language in LANGUAGES]
    assert outlines[0] == outlines[1]
    assert outlines[0].count("#") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_the_guide_names_exists(language: str) -> None:
    known = load_settings(env={}).flat()
    for page in PAGES:
        for name in re.findall(r"`((?:store|embeddings|llm|ingest|sources|retrieval|answer|ui)(?:\.\w+)+)", text(language, page)):
            assert name in known, f"{page}: {name}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_guide_calls_parts_of_the_page_is_what_they_are_called(language: str) -> None:
    words = table(language)
    guide = "".join(text(language, page) for page in PAGES)
    for key in (
        "upload.label",
        "knob.vector_weight",
        "knob.top_k",
        "knob.depth",
        "knob.score_threshold",
        "knob.evidence_threshold",
    ):
        assert words[key] in guide, key
    for key in ("chat.answer_again", "chat.retry", "ledger.tab", "passages.absent", "tuning.reset", "passages.new"):
        assert words[key].lower() in guide.lower(), key


def test_the_sample_base_is_the_guide_in_the_readers_language_first() -> None:
    names = [file.name for file in sample_files("zh")]
    assert len(set(names)) == 2 * len(PAGES)
    assert names[0].startswith("zh-")
    assert names[-1].startswith("en-")
