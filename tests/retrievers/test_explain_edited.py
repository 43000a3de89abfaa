"""Why was it not found, where a person switched a passage off or corrected it: the text is looked for as it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.edits import chunks, correct, switch
from retrievers import Explainer, Retrieval, Retriever
from retrievers.expected import in_one_form
from retrievers.fate import Explanation, Fate
from tests.ingest.desk import Desk
from tests.retrievers.test_edited import BESIDE, NEW, OFF, OLD, SIZES
from tests.standin import WordEmbeddings

CHINESE = ("# 水壶\n\n水壶可以在三十天内退回，壶盖必须还在。", "水壶可以在九十周内退回，有没有壶盖都行。")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Two documents, of each of which a passage was corrected, and one was switched off."""
    desk = Desk.on(tmp_path_factory.mktemp("edited") / "store", WordEmbeddings())
    desk.add("a.md", f"{OFF}\n\n{OLD}\n\n{BESIDE}", **SIZES)
    desk.add("壶.md", CHINESE[0])
    first, second, _ = chunks(desk.stores, desk.base, "a.md").chunks
    correct(desk.stores, desk.base, second.id, NEW, desk.settings)
    switch(desk.stores, desk.base, "a.md", on=False, chunk_ids=[first.id])
    (kettle,) = chunks(desk.stores, desk.base, "壶.md").chunks
    correct(
        desk.stores,
        desk.base,
        kettle.id,
        kettle.text.replace("三十天", "九十周").replace("必须还在", "有没有都行"),
        desk.settings,
    )
    yield desk
    desk.library.engine.dispose()


def explain(desk: Desk, question: str, expected: str, **retrieval: Any) -> Explanation:
    changes = {f"retrieval.{name.replace('__', '.')}": value for name, value in retrieval.items()}
    settings = desk.settings.override(changes)
    return Explainer(Retriever(desk.stores), desk.library, [desk.base], settings).explain(question, expected)


def fate(desk: Desk, question: str, expected: str, **retrieval: Any) -> Fate:
    (only,) = explain(desk, question, expected, **retrieval).fates
    return only


@pytest.mark.parametrize(
    ("question", "expected", "source"),
    [
        ("kettles lid", NEW, "a.md"),
        ("kettles lid", "within ninety  WEEKS, with or", "a.md"),
        ("水壶退回", "在九十周内退回，壶盖有没有都行", "壶.md"),
        ("水壶退回", "水壺可以在九十週內退回", "壶.md"),
    ],
)
def test_a_corrected_text_is_found_as_it_is_shown(desk: Desk, question: str, expected: str, source: str) -> None:
    found = fate(desk, question, expected)
    assert (found.chunk.source, found.exact, found.chunk.edited) == (source, True, True)
    assert (found.place, found.rank) == ("contexts", 1)
    assert in_one_form(found.chunk.text[found.at :])[0].startswith(in_one_form(expected)[0])


def test_a_text_that_runs_from_a_corrected_passage_into_the_next_has_the_fates_of_both(desk: Desk) -> None:
    found = explain(desk, "kettles saucers", "with or without a lid. Saucers may be returned").fates
    assert [(each.chunk.edited, each.exact) for each in found] == [(True, True), (False, True)]


@pytest.mark.parametrize(
    ("question", "expected"), [("kettles lid", "Kettles may be returned within thirty days"), ("水壶退回", "壶盖必须还在")]
)
def test_words_that_were_corrected_away_are_said_to_be_so_and_nothing_is_tried(desk: Desk, question: str, expected: str) -> None:
    found = fate(desk, question, expected)
    assert (found.place, found.reason, found.rank, found.remedies) == ("not_recalled", "corrected", None, ())
    assert expected[-4:] not in found.chunk.text
    assert found.chunk.text[found.at :].startswith(expected[:2])


def test_what_is_left_of_a_corrected_passage_is_explained_as_any_other(desk: Desk) -> None:
    found = fate(desk, "saucers", "Kettles may be returned within", top_k=1)
    assert (found.place, found.reason, found.exact) == ("top_k", "below_top_k", True)
    assert found.remedies


def test_an_extract_without_the_corrected_part_lost_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    start = chunks(desk.stores, desk.base, "a.md").chunks[1].start
    kept = (start, start + len("Kettles may be returned"))
    monkeypatch.setattr("retrievers.llm_extract.winning_spans", lambda document: [kept])
    assert fate(desk, "kettles", "kettles may be", llm_extract__enabled=True).place == "contexts"
    lost = fate(desk, "kettles", "with or without a lid", llm_extract__enabled=True)
    assert (lost.place, lost.reason) == ("llm_extract", "cut_away")
    assert {"retrieval.llm_extract.enabled": False} in lost.remedies


def test_nothing_is_tried_for_what_is_switched_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    retrieve = Retriever.retrieve

    def counted(self: Retriever, *arguments: Any, **more: Any) -> Retrieval:
        asked.append(arguments)
        return retrieve(self, *arguments, **more)

    monkeypatch.setattr(Retriever, "retrieve", counted)
    found = fate(desk, "zeppelins", "Zeppelins may be returned")
    assert (found.reason, found.remedies, len(asked)) == ("switched_off", (), 1)


def test_a_chunk_that_is_asked_for_by_its_id_has_one_fate_though_others_overlap_it(tmp_path: Path) -> None:
    desk = Desk.on(tmp_path, WordEmbeddings())
    words = " ".join(f"Kettle number {n} is returned within {n} days." for n in range(20))
    desk.add("long.txt", words, **SIZES | {"chunk_overlap": 50})
    overlapped = chunks(desk.stores, desk.base, "long.txt").chunks
    assert overlapped[1].start < overlapped[0].end
    assert fate(desk, "kettle", overlapped[1].id).chunk.id == overlapped[1].id
    desk.library.engine.dispose()
