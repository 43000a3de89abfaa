"""Encrypted files indexed again: their password is not kept, so the text that was read with it is cut anew."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from pydantic import SecretStr

from ingest.before import Before
from ingest.document import LoadedDocument
from ingest.edits import chunks, switch
from ingest.reindex import Reindex
from ingest.report import FileReport
from store.changes import Change, Changes
from store.library import StoredDocument
from tests.files import make_pdf
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

ENGLISH = "\n".join(
    f"Article {n}. The refund period of article {n} is {n} days, and the parcel must be whole." for n in range(12)
)
CHINESE = "\n".join(f"第 {n} 条：该条的退款期限为 {n} 天，自收货之日起计算，并且包裹必须完好。" for n in range(12))
LOCKED = make_pdf([ENGLISH, CHINESE], title="Terms of sale", user_password="s3cret")


def add(desk: Desk, name: str, data: bytes) -> FileReport:
    events = desk.pipeline.add(desk.base, name, data, desk.settings, password=SecretStr("s3cret"))
    return next(event for event in events if isinstance(event, FileReport))


def reindexed(desk: Desk, **ingest: Any) -> list[FileReport]:
    settings = desk.settings.override({f"ingest.{key}": value for key, value in ingest.items()})
    return list(Reindex(desk.stores, desk.base, settings, sandbox=desk.pipeline.sandbox).run())


def row(desk: Desk, name: str) -> StoredDocument:
    found = desk.library.find(desk.base, name)
    assert found
    return found


@pytest.fixture
def locked(desk: Desk) -> Desk:
    assert add(desk, "terms.pdf", LOCKED).status == "indexed"
    desk.add("open.txt", "Apples are picked in autumn.")
    return desk


def test_a_base_with_an_encrypted_file_is_indexed_again_as_a_whole(locked: Desk) -> None:
    before, text, pages = row(locked, "terms.pdf"), *_texts(locked)
    open_report, report = reindexed(locked, chunk_size=300)
    assert (open_report.status, open_report.warnings) == ("indexed", [])
    assert (report.status, [warning["code"] for warning in report.warnings]) == ("indexed", ["text_kept"])
    now = row(locked, "terms.pdf")
    assert now.chunks > before.chunks
    assert (*_texts(locked),) == (text, pages)
    same = ("title", "pages", "type", "language", "chars", "markdown")
    assert {key: now.report[key] for key in same} == {key: before.report[key] for key in same}
    assert (now.report["type"], now.report["pages"], now.report["title"]) == ("pdf", 2, "Terms of sale")
    assert locked.base.passport["ingest"]["chunk_size"] == 300
    assert {chunk.page for chunk in chunks(locked.stores, locked.base, "terms.pdf").chunks} == {1, 2}
    assert locked.lexical("退款期限") == ["terms.pdf"] * len(locked.lexical("退款期限")) != []
    locked.check()
    again = reindexed(locked, chunk_size=600)[1]
    assert [warning["code"] for warning in again.warnings] == ["text_kept"], "said once, however often"


def _texts(desk: Desk) -> tuple[str, list[tuple[int, int, int]]]:
    doc_id = row(desk, "terms.pdf").doc_id
    return desk.library.text(doc_id), desk.library.pages(doc_id)


def test_one_encrypted_document_is_indexed_again_and_keeps_its_edits_and_tags(locked: Desk) -> None:
    document = row(locked, "terms.pdf")
    locked.library.set_tags(document.doc_id, ["contract"])
    first = chunks(locked.stores, locked.base, "terms.pdf").chunks[0]
    switch(locked.stores, locked.base, "terms.pdf", on=False, chunk_ids=[first.id])
    small = locked.settings.override({"ingest.chunk_size": 300})
    report = locked.pipeline.anew(locked.base, row(locked, "terms.pdf"), small, mend=False)
    assert report.status == "replaced"
    assert "text_kept" in [warning["code"] for warning in report.warnings]
    assert row(locked, "terms.pdf").tags == ("contract",)
    kept = chunks(locked.stores, locked.base, "terms.pdf").chunks
    assert {chunk.enabled for chunk in kept if chunk.end <= first.end} == {False}
    assert {chunk.enabled for chunk in kept if chunk.start >= first.end} == {True}
    locked.check()


def test_another_embedder_takes_an_encrypted_file_over(locked: Desk) -> None:
    other = locked.reopened(WordEmbeddings(24, model="other words"))
    assert [report.status for report in reindexed(other)] == ["indexed", "indexed"]
    assert other.base.passport["embedder"]["dimension"] == 24
    assert "terms.pdf" in other.vector("refund period")
    other.check()


def test_an_archive_keeps_what_only_its_password_opened(desk: Desk) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("open.csv", "".join(f"apples,{n}\n" for n in range(60)))
        archive.writestr("locked.pdf", LOCKED)
        archive.writestr("film.mp4", bytes(range(256)) * 9)
    add(desk, "all.zip", out.getvalue())
    before, text = row(desk, "all.zip"), desk.library.text(row(desk, "all.zip").doc_id)
    assert "退款期限" in text
    [report] = reindexed(desk, chunk_size=400)
    assert desk.library.text(row(desk, "all.zip").doc_id) == text
    assert {warning["code"] for warning in report.warnings} == {"text_kept", "parts_skipped"}
    assert (report.skipped, report.skipped_why) == (before.report["skipped"], before.report["skipped_why"])
    held = [chunk.rows for chunk in chunks(desk.stores, desk.base, "all.zip").chunks if "apples" in chunk.text]
    assert all(held), "rows of tables are still known"
    desk.check()


def test_a_file_that_opens_is_read_again_though_parts_of_it_were_closed_from_the_beginning(desk: Desk) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("open.txt", "Apples are picked in autumn.")
        archive.writestr("locked.pdf", LOCKED)
    desk.add("all.zip", out.getvalue())
    [report] = reindexed(desk)
    assert {warning["code"] for warning in report.warnings} == {"parts_skipped"}


def test_what_is_closed_now_and_was_not_is_told_from_what_always_was(desk: Desk) -> None:
    desk.add("a.txt", "Apples.")
    before = Before(desk.stores, desk.base, row(desk, "a.txt"))
    read = LoadedDocument("a.txt", "Apples.", skipped=(("b.txt", "it is encrypted"),), skipped_why=(("part_encrypted", {}),))
    assert before.knows_more_than(read)
    assert not before.knows_more_than(
        LoadedDocument("a.txt", "Apples.", skipped=(("b", "blank"),), skipped_why=(("no_text", {}),))
    )


def test_an_encrypted_file_that_was_never_read_still_asks_for_its_password(desk: Desk) -> None:
    report = desk.add("terms.pdf", LOCKED)
    assert (report.status, report.code) == ("failed", "password")


def test_a_kill_in_the_middle_of_it_is_made_good_without_the_password(locked: Desk) -> None:
    document, text = row(locked, "terms.pdf"), locked.library.text(row(locked, "terms.pdf").doc_id)
    settings = locked.settings.override({"ingest.chunk_size": 300}).ingest.model_dump(mode="json")
    with Changes(locked.stores).of(locked.base) as now:
        Changes(locked.stores)._begin(now, Change(document.doc_id, document.source, document.version, settings))
        locked.chunks.delete_documents([document.doc_id])
    assert row(locked, "terms.pdf").status == "pending"
    [report] = locked.pipeline.recover(locked.settings)
    assert (report.source, report.status) == ("terms.pdf", "replaced")
    assert locked.library.text(document.doc_id) == text
    assert row(locked, "terms.pdf").chunks > document.chunks
    locked.check()
