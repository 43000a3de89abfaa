"""What was switched off and corrected stays where its text stands, whatever happens to the document; what is lost is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ingest.consistency import check, repair
from ingest.edits import chunks, correct, revert, switch
from ingest.reindex import Reindex
from store.changes import Changes
from store.errors import NotWritable
from store.library import StoredDocument
from store.stored import StoredChunk
from store.table import ChunkTable
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

KETTLES = "Kettles may be returned within thirty days, provided that their lid is still with them."
SAUCERS = "Saucers may be returned within twenty days, provided that none of them has been used."
TEAPOTS = "茶壶可在三十天之内退货，前提是壶盖还在，并且没有使用过。"
FIXED = "Kettles may be returned within ninety weeks, provided that their lid is still with them."
SIZES = {"chunker": "recursive", "chunk_size": 110, "chunk_overlap": 0, "min_chunk_size": 1}


@pytest.fixture(autouse=True)
def edited(desk: Desk) -> None:
    """Three chunks: the first is corrected, the second is switched off."""
    desk.add("a.txt", f"{KETTLES}\n\n{SAUCERS}\n\n{TEAPOTS}", **SIZES)
    first, second, _ = of(desk)
    correct(desk.stores, desk.base, first.id, FIXED, desk.settings)
    switch(desk.stores, desk.base, "a.txt", on=False, chunk_ids=[second.id])


def of(desk: Desk, name: str = "a.txt") -> tuple[StoredChunk, ...]:
    return chunks(desk.stores, desk.base, name).chunks


def row(desk: Desk, name: str = "a.txt") -> StoredDocument:
    document = desk.library.find(desk.base, name)
    assert document is not None
    return document


def states(desk: Desk, name: str = "a.txt") -> list[tuple[str, bool, bool]]:
    return [(chunk.text, chunk.enabled, chunk.edited) for chunk in of(desk, name)]


AS_EDITED = [(FIXED, True, True), (SAUCERS, False, False), (TEAPOTS, True, False)]


def found(desk: Desk, word: str) -> list[str]:
    where = desk.chunks.census.condition()
    return [candidate.page_content for candidate, _ in desk.chunks.search_text(word, depth=9, where=where)]


def whole(desk: Desk) -> None:
    desk.check()
    assert check(desk.stores, desk.base) == []


def test_they_hold_for_another_process_and_the_base_is_whole(desk: Desk) -> None:
    assert states(desk.reopened()) == states(desk) == AS_EDITED
    whole(desk)


def test_new_bytes_keep_them_where_the_text_stands_and_the_report_names_the_rest(desk: Desk) -> None:
    report = desk.add("a.txt", f"A new beginning.\n\n{KETTLES}\n\nSaucers are not taken back.\n\n{TEAPOTS}", **SIZES)
    assert report.status == "replaced"
    [warning] = report.warnings
    assert warning["code"] == "switches_lost"
    assert warning["params"]["count"] == 1
    assert SAUCERS[:40] in warning["params"]["parts"]
    assert row(desk).report["warnings"] == report.warnings
    [(text, _, edited), *_] = states(desk)
    assert (text, edited) == (f"A new beginning.\n\n{FIXED}", True), "in a larger chunk now"
    assert (found(desk, "ninety"), found(desk, "thirty")) == ([text], [])
    assert found(desk, "saucers")
    told = chunks(desk.stores, desk.base, "a.txt")
    assert [(edit.kind, edit.original) for edit in told.lost] == [("off", SAUCERS)]
    assert (row(desk).edited.corrected, row(desk).edited.off, row(desk).edited.lost) == (1, 0, 1)
    whole(desk)
    back = desk.add("a.txt", f"{SAUCERS}\n\n{KETTLES} And more.", **SIZES)
    assert [warning["code"] for warning in back.warnings] == [], "what was lost before is not told again"
    assert states(desk)[0] == (SAUCERS, False, False)
    whole(desk)


def test_a_lost_correction_is_told_with_what_it_said(desk: Desk) -> None:
    report = desk.add("a.txt", SAUCERS, **SIZES)
    assert [warning["code"] for warning in report.warnings] == ["corrections_lost"]
    assert states(desk) == [(SAUCERS, False, False)]
    [lost] = chunks(desk.stores, desk.base, "a.txt").lost
    assert (lost.original, lost.corrected) == (KETTLES, FIXED)
    assert desk.add("a.txt", f"{SAUCERS}\n\n{KETTLES}", **SIZES).warnings == []
    assert (FIXED, True, True) in states(desk)


def test_another_index_with_larger_and_smaller_chunks_keeps_corrections(desk: Desk) -> None:
    settings = desk.settings.override({"ingest.chunker": "recursive", "ingest.chunk_size": 2000, "ingest.chunk_overlap": 0})
    [report] = Reindex(desk.stores, desk.base, settings, sandbox=desk.pipeline.sandbox).run()
    again = desk.reopened()
    assert states(again) == [(f"{FIXED}\n\n{SAUCERS}\n\n{TEAPOTS}", True, True)]
    assert [warning["code"] for warning in report.warnings] == ["switches_lost"], "a part of a chunk cannot be off"
    assert (found(again, "ninety"), found(again, "thirty")) == ([states(again)[0][0]], [])
    whole(again)
    small = again.settings.override({f"ingest.{key}": value for key, value in SIZES.items()})
    [report] = Reindex(again.stores, again.base, small, sandbox=desk.pipeline.sandbox).run()
    last = desk.reopened()
    assert states(last) == AS_EDITED, "the chunk is there again, and off"
    assert report.warnings == []
    whole(last)


def test_what_is_edited_while_a_base_is_indexed_again_is_not_lost(desk: Desk) -> None:
    desk.add("b.txt", TEAPOTS)
    settings = desk.settings.override({f"ingest.{key}": value for key, value in SIZES.items()})
    running = Reindex(desk.stores, desk.base, settings, sandbox=desk.pipeline.sandbox).run()
    next(running)
    third = of(desk)[2]
    correct(desk.stores, desk.base, third.id, "茶壶不可退货。", desk.settings)
    revert(desk.stores, desk.base, of(desk)[0].id, desk.settings)
    list(running)
    again = desk.reopened()
    assert states(again) == [(KETTLES, True, False), (SAUCERS, False, False), ("茶壶不可退货。", True, True)]
    whole(again)


def test_a_document_stays_off_when_it_is_replaced_and_indexed_again(desk: Desk) -> None:
    switch(desk.stores, desk.base, "a.txt", on=False)
    assert desk.add("a.txt", "Only kettles.").status == "replaced"
    assert not row(desk).enabled
    assert found(desk, "kettles") == []
    list(Reindex(desk.stores, desk.base, desk.settings, sandbox=desk.pipeline.sandbox).run())
    again = desk.reopened()
    assert found(again, "kettles") == []
    switch(again.stores, again.base, "a.txt", on=True)
    assert found(again, "kettles") == ["Only kettles."]
    whole(again)


def test_the_name_that_takes_over_has_them(desk: Desk) -> None:
    desk.add("z.txt", f"{KETTLES}\n\n{SAUCERS}\n\n{TEAPOTS}")
    desk.delete("a.txt")
    assert states(desk, "z.txt") == AS_EDITED
    whole(desk)
    desk.delete("z.txt")
    desk.add("a.txt", f"{KETTLES}\n\n{SAUCERS}\n\n{TEAPOTS}", **SIZES)
    assert not any(chunk.edited or not chunk.enabled for chunk in of(desk)), "what is deleted is forgotten"


def test_both_names_have_them_when_one_gets_other_bytes(desk: Desk) -> None:
    desk.add("z.txt", f"{KETTLES}\n\n{SAUCERS}\n\n{TEAPOTS}")
    desk.add("a.txt", f"{TEAPOTS}\n\n{KETTLES}", **SIZES)
    assert states(desk, "z.txt") == AS_EDITED
    assert (FIXED, True, True) in states(desk)
    revert(desk.stores, desk.base, of(desk)[1].id, desk.settings)
    assert states(desk, "z.txt") == AS_EDITED
    whole(desk)


def test_check_finds_chunks_out_of_step_and_repair_mends_them(desk: Desk) -> None:
    first, second, third = of(desk)
    desk.chunks.switch(first.doc_id, [second.id], on=True)
    desk.chunks.switch(first.doc_id, [third.id], on=False)
    [problem] = check(desk.stores, desk.base)
    assert (problem.kind, problem.source) == ("wrong_edits", "a.txt")
    repair(desk.pipeline, desk.stores, desk.base, desk.settings)
    assert states(desk) == AS_EDITED
    whole(desk)


def test_repair_that_indexes_again_keeps_them(desk: Desk) -> None:
    desk.chunks.delete([of(desk)[2].id])
    assert {problem.kind for problem in check(desk.stores, desk.base)} == {"chunk_count"}
    repair(desk.pipeline, desk.stores, desk.base, desk.settings)
    assert states(desk) == AS_EDITED
    whole(desk)


class Killed(BaseException):
    """What ends a process at once."""


@pytest.mark.parametrize("point", ["before", "after"])
@pytest.mark.parametrize("act", ["correct", "revert", "off", "document"])
def test_killed_on_the_way(desk: Desk, monkeypatch: pytest.MonkeyPatch, point: str, act: str) -> None:
    first, _, third = of(desk)
    acts: dict[str, tuple[str, Callable[[], object]]] = {
        "correct": ("upsert", lambda: correct(desk.stores, desk.base, third.id, "茶壶不可退货。", desk.settings)),
        "revert": ("upsert", lambda: revert(desk.stores, desk.base, first.id, desk.settings)),
        "off": ("switch", lambda: switch(desk.stores, desk.base, "a.txt", on=False, chunk_ids=[third.id])),
        "document": ("switch", lambda: switch(desk.stores, desk.base, "a.txt", on=False)),
    }
    method, do = acts[act]
    commit = getattr(ChunkTable, method)

    def die(*arguments: object, **named: object) -> None:
        if point == "after":
            commit(*arguments, **named)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ChunkTable, method, die)
        with pytest.raises(Killed):
            do()
    again = desk.reopened()
    assert row(again).status == "pending"
    assert next(problem.kind for problem in check(again.stores, again.base)) == "pending"
    assert again.pipeline.recover(again.settings) == []
    expected = {
        "correct": [*AS_EDITED[:2], ("茶壶不可退货。", True, True)],
        "revert": [(KETTLES, True, False), *AS_EDITED[1:]],
        "off": [*AS_EDITED[:2], (TEAPOTS, False, False)],
        "document": [(text, False, edited) for text, _, edited in AS_EDITED],
    }
    assert states(again) == expected[act]
    whole(again)


def test_what_the_disk_refuses_is_as_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise NotWritable("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(ChunkTable, "upsert", full)
        with pytest.raises(NotWritable):
            correct(desk.stores, desk.base, of(desk)[2].id, "茶壶不可退货。", desk.settings)
    assert states(desk) == AS_EDITED
    with Changes(desk.stores).of(desk.base) as base:
        assert Changes(desk.stores).left(base) == []
    whole(desk)


def test_an_edit_left_half_done_waits_for_its_embedder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ChunkTable, "upsert", die)
        with pytest.raises(Killed):
            correct(desk.stores, desk.base, of(desk)[2].id, "茶壶不可退货。", desk.settings)
    other = desk.reopened(WordEmbeddings(8, model="other"))
    assert other.pipeline.recover(other.settings) == []
    assert states(other) == AS_EDITED
    again = desk.reopened()
    again.pipeline.recover(again.settings)
    assert states(again)[2] == ("茶壶不可退货。", True, True)
    whole(again)
