"""Indexing again behind the page: progress, one at a time, cancelled, and what fails is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.reindexing import Reindexing
from ingest.report import FileReport
from store.errors import Occupied
from tests.ingest.desk import Desk
from tests.ingest.test_jobs import Gate, until
from tests.standin import WordEmbeddings

LONG = "The refund window is thirty days for every order placed online. " * 40


@pytest.fixture
def again(desk: Desk) -> Iterator[Reindexing]:
    made = Reindexing(desk.stores, desk.pipeline)
    yield made
    made.stop()


def finished(again: Reindexing, desk: Desk) -> None:
    until(lambda: not again.busy(desk.base.id))


def test_a_base_gets_other_chunks_and_tells_how_far_it_is(desk: Desk, again: Reindexing) -> None:
    desk.add("long.txt", LONG)
    desk.add("short.txt", "Apples.")
    before = desk.chunks.count()
    assert again.progress(desk.base.id) is None
    again.start(desk.base, desk.settings.override({"ingest.chunk_size": 300}))
    finished(again, desk)
    progress = again.progress(desk.base.id)
    assert progress
    assert (progress.done, progress.total, progress.failed, progress.problem) == (2, 2, (), "")
    assert desk.chunks.count() > before + 4
    assert desk.base.passport["ingest"]["chunk_size"] == 300
    again.dismiss(desk.base.id)
    assert again.progress(desk.base.id) is None
    desk.check()


def test_one_document_gets_other_chunks_and_the_others_stay(desk: Desk, again: Reindexing) -> None:
    desk.add("long.txt", LONG)
    desk.add("other.txt", LONG.replace("refund", "return"))
    long, other = desk.library.documents(desk.base)
    desk.library.set_tags(long.doc_id, ["kept"])
    again.start(desk.base, desk.settings.override({"ingest.chunk_size": 300}), long)
    finished(again, desk)
    now, same = desk.library.documents(desk.base)
    assert now.chunks > long.chunks + 2
    assert now.tags == ("kept",)
    assert same == other
    desk.check()


def test_only_one_at_a_time_and_a_cancelled_one_leaves_the_old_index(tmp_path: Path) -> None:
    gate = Gate()
    gate.open.set()
    desk = Desk.on(tmp_path, gate)
    for n in range(3):
        desk.add(f"{n}.txt", f"{LONG} {n}")
    before, passport = desk.chunks.count(), desk.base.passport
    gate.open.clear()
    gate.reached.clear()
    again = Reindexing(desk.stores, desk.pipeline)
    small = desk.settings.override({"ingest.chunk_size": 300})
    again.start(desk.base, small)
    until(gate.reached.is_set)
    with pytest.raises(Occupied):
        again.start(desk.base, small)
    again.dismiss(desk.base.id)
    again.cancel(desk.base.id)
    gate.open.set()
    finished(again, desk)
    progress = again.progress(desk.base.id)
    assert progress
    assert progress.cancelled
    assert (desk.chunks.count(), desk.base.passport) == (before, passport)
    again.start(desk.base, small)
    finished(again, desk)
    assert desk.chunks.count() > before
    again.stop()


def test_a_document_that_fails_is_told_with_its_reason_and_the_old_index_stays(desk: Desk, again: Reindexing) -> None:
    desk.add("long.txt", LONG)
    before = desk.chunks.count()
    (desk.library.folder / "files" / desk.library.documents(desk.base)[0].version).unlink()
    again.start(desk.base, desk.settings.override({"ingest.chunk_size": 300}))
    finished(again, desk)
    progress = again.progress(desk.base.id)
    assert progress
    assert [report.source for report in progress.failed] == ["long.txt"]
    assert desk.chunks.count() == before


def test_a_document_that_is_deleted_meanwhile_stays_deleted(tmp_path: Path) -> None:
    desk = Desk.on(tmp_path, WordEmbeddings())
    desk.add("long.txt", LONG)
    [document] = desk.library.documents(desk.base)
    desk.pipeline.delete(desk.base, "long.txt")
    with desk.library.files.keeping(LONG.encode()):
        report = desk.pipeline.anew(desk.base, document, desk.settings, mend=False)
    assert isinstance(report, FileReport)
    assert report.code == "unknown_document"
    assert desk.library.documents(desk.base) == []
    assert desk.chunks.count() == 0
