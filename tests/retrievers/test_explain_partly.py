"""Why was it not found, where not all of it can be found out, or where two settings keep a passage away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models import ModelError
from retrievers import Explainer
from tests.retrievers.conftest import Shelf
from tests.retrievers.test_explain import QUESTION, check_remedies, explain, fate
from tests.retrievers.word_shelf import word_shelf
from tests.standin import WordEmbeddings


class Silent(WordEmbeddings):
    """An embedder whose endpoint does not answer once it is `down`; counts what it was asked meanwhile."""

    down, asked = False, 0

    def embed_query(self, text: str) -> list[float]:
        if self.down:
            self.asked += 1
            raise ModelError("The embedding endpoint does not answer. Start it again.")
        return super().embed_query(text)


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A base in both languages whose embedder failed after it was made."""
    embedder = Silent(64)
    shelf = word_shelf(tmp_path_factory.mktemp("silent"), embeddings=embedder)
    for n in range(12):
        shelf.add(f"{n:02}.txt", f"The harbour of Lisbon has number n{n}." + " More words follow here." * n)
    shelf.add("zh.txt", "退款期限为三十天。")
    embedder.down = True
    return shelf


def test_without_the_embedder_words_explain_and_the_failure_is_named(silent: Shelf) -> None:
    explained = explain(silent, "has number n9.", top_k=3)
    assert [(note.code, note.params["leg"]) for note in explained.notes] == [("leg_failed", "vector")]
    assert "does not answer" in explained.notes[0].params["error"]
    (found,) = explained.fates
    assert (found.place, found.reason) == ("top_k", "below_top_k")
    assert set(found.legs) == {"bm25"}
    assert found.legs["bm25"]
    assert found.shared_words
    first, *_ = check_remedies(silent, found, QUESTION, top_k=3)
    assert set(first) == {"retrieval.top_k"}
    assert json.loads(json.dumps(explained.as_json()))["notes"][0]["code"] == "leg_failed"


@pytest.mark.parametrize(("question", "expected"), [("harbour", "退款期限为三十天"), ("退款期限", "has number n3.")])
def test_without_the_embedder_nobody_says_that_nothing_is_in_common(silent: Shelf, question: str, expected: str) -> None:
    found = fate(silent, expected, question)
    assert (found.place, found.reason, found.legs) == ("not_recalled", "not_compared", {"bm25": None})


def test_no_remedy_is_looked_for_longer_than_a_person_waits(silent: Shelf) -> None:
    settings = silent.settings.override({"retrieval.top_k": 3})
    explainer = Explainer(silent.retriever, silent.stores.library, [silent.base], settings, patience=0)
    explained = explainer.explain(QUESTION, "has number n9.")
    assert [note.code for note in explained.notes] == ["leg_failed", "remedies_ended"]
    (found,) = explained.fates
    assert (found.reason, found.remedies) == ("below_top_k", ())


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        (
            {"window.enabled": True, "window.sentences": 0, "top_k": 1},
            {"retrieval.window.enabled": False, "retrieval.top_k": 2},
        ),
        (
            {"token_budget.enabled": True, "token_budget.tokens": 100, "redundancy.enabled": True, "top_k": 1},
            {"retrieval.token_budget.enabled": False, "retrieval.top_k": 2},
        ),
    ],
)
def test_what_two_settings_keep_away_both_bring_back(tmp_path: Path, changes: dict[str, Any], remedy: dict[str, Any]) -> None:
    shelf = word_shelf(tmp_path, settings={"ingest.chunk_size": 1200})
    shelf.add("first.txt", "The harbour of Lisbon. The harbour of Lisbon opens.")
    tail = "Zebras graze far inland and have nothing to do with ships."
    shelf.add("second.txt", f"The harbour of Lisbon is old. {'Gulls fly over the quays all day long. ' * 12}{tail}")
    found = fate(shelf, tail, **changes)
    assert (found.place, found.reason) == ("top_k", "below_top_k")
    before = shelf.settings.override({f"retrieval.{key}": value for key, value in changes.items()})
    assert remedy in [dict(each) for each in found.remedies]
    shown = shelf.retriever.retrieve(QUESTION, shelf.base, before.override(remedy)).contexts
    assert any(tail in context.text for context in shown)


def test_a_text_that_stands_twice_in_a_passage_has_one_fate_that_of_the_place_that_is_shown(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    twice = "Ships may enter at night."
    shelf.add("a.txt", f"The harbour of Lisbon. {twice} {'Gulls fly over the quays all day long. ' * 12}{twice}")
    window: dict[str, Any] = {"window.enabled": True, "window.sentences": 1}
    assert "Gulls" in fate(shelf, twice).chunk.text
    assert fate(shelf, twice, **window).place == "contexts"
