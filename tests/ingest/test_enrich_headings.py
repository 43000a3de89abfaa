"""The switch for headings in front of what is indexed: what full text finds and what is embedded."""

from __future__ import annotations

import pytest

from ingest.preview import preview
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings, shared_sandbox

TEXT = "# Warranty\n\n" + "The pump is covered for two years. " * 30 + "\n\n" + "Seals are worn parts and are not. " * 30


@pytest.mark.parametrize("enabled", [True, False])
def test_headings_stand_in_front_of_what_is_indexed_or_not(desk: Desk, words: WordEmbeddings, enabled: bool) -> None:
    report = desk.add("pump.md", TEXT, **{"enrich.heading_path.enabled": enabled, "chunker": "recursive", "chunk_overlap": 0})
    assert report.chunks > 1
    found = {c.metadata["start"] for c, _ in desk.chunks.search_text("warranty", depth=50)}
    assert (len(found) == report.chunks) is enabled, "every chunk is found by the heading above it, or the one that holds it"
    assert found
    behind = [text for text in words.texts if text.startswith("Warranty: ")]
    assert bool(behind) is enabled
    desk.check()


def test_a_preview_embeds_what_indexing_would(desk: Desk, words: WordEmbeddings) -> None:
    settings = desk.settings.override({"ingest.enrich.heading_path.enabled": False})
    preview(shared_sandbox().read("pump.md", TEXT.encode(), settings.ingest), settings, words)
    assert words.texts
    assert not [text for text in words.texts if text.startswith("Warranty: ")]
