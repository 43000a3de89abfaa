"""Whether a base is whole is found out, said with the remedy, and mended where it can be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import lancedb
import numpy as np
import pytest
from sqlalchemy import text

from ingest.__main__ import main
from ingest.consistency import check, repair
from store.changes import Change
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

LONG = "The refund window is thirty days for every order placed online. " * 60


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for name, content in (("a.txt", LONG), ("b.txt", "Shipping takes five days."), ("copy.txt", LONG), ("empty.txt", "")):
        desk.add(name, content)
    desk.add("知识.md", "# 退款\n\n退款期限为三十天。", chunk_size=400)
    return desk


def rows(desk: Desk):
    return lancedb.connect(str(desk.library.chunk_folder(desk.base))).open_table("chunks")


def run(desk: Desk, statement: str, **values: object) -> None:
    with desk.library.engine.begin() as connection:
        connection.execute(text(statement), values)


def doc(desk: Desk, name: str = "a.txt"):
    document = desk.library.find(desk.base, name)
    assert document
    return document


def zero_vector(desk: Desk) -> None:
    table = rows(desk)
    one = table.search().where("source = 'b.txt'").limit(1).to_arrow()
    bad = one.set_column(one.schema.get_field_index("vector"), one.schema.field("vector"), one["vector"].combine_chunks())
    values = bad.to_pylist()
    values[0]["vector"] = np.zeros(16, dtype=np.float32)
    table.delete("source = 'b.txt'")
    table.add(type(one).from_pylist(values, schema=table.schema))


def doubled(desk: Desk) -> None:
    table = rows(desk)
    table.add(table.search().where("source = 'a.txt'").limit(1).select(table.schema.names).to_arrow().cast(table.schema))


def orphaned(desk: Desk) -> None:
    chunk = doc(desk, "b.txt")
    run(desk, "DELETE FROM documents WHERE doc_id = :id", id=chunk.doc_id)


BREAKS: dict[str, tuple[Callable[[Desk], object], set[str]]] = {
    "a chunk is missing": (lambda d: rows(d).delete("source = 'a.txt' and chunk_index = 0"), {"chunk_count"}),
    "all chunks are missing": (lambda d: rows(d).delete("source = '知识.md'"), {"chunk_count"}),
    "a chunk is there twice": (doubled, {"chunk_count", "double_id"}),
    "chunks of nobody": (orphaned, {"orphan"}),
    "another version": (lambda d: rows(d).update("source = 'a.txt'", {"version": "old"}), {"wrong_version"}),
    "another name": (lambda d: rows(d).update("source = 'a.txt'", {"source": "z"}), {"wrong_source"}),
    "another text": (lambda d: rows(d).update("source = 'b.txt'", {"text": "Other."}), {"wrong_text"}),
    "the text is gone": (lambda d: run(d, "UPDATE documents SET text = '' WHERE source = 'b.txt'"), {"wrong_text"}),
    "the count is wrong": (lambda d: run(d, "UPDATE documents SET chunks = 9 WHERE source = 'b.txt'"), {"chunk_count"}),
    "a vector of zeros": (zero_vector, {"wrong_vector"}),
}


def kinds(desk: Desk) -> set[str]:
    return {problem.kind for problem in check(desk.stores, desk.base)}


@pytest.mark.parametrize("case", BREAKS)
def test_what_is_broken_is_found_and_mended(filled: Desk, case: str) -> None:
    assert kinds(filled) == set()
    breaks, found = BREAKS[case]
    breaks(filled)
    desk = filled.reopened()
    assert kinds(desk) == found
    assert all("check --repair" in problem.as_json()["reason"] for problem in check(desk.stores, desk.base))
    assert [r.reason for r in repair(desk.pipeline, desk.stores, desk.base, desk.settings) if r.status == "failed"] == []
    assert kinds(desk) == set()
    if case != "chunks of nobody":
        assert (desk.lexical("shipping"), desk.lexical("refund")) == (["b.txt"], ["a.txt"] * len(desk.lexical("refund")))
    desk.library.tidy()
    desk.check()


def test_a_file_that_is_gone_or_changed_comes_back_when_it_is_added_again(filled: Desk) -> None:
    folder = filled.library.folder / "files"
    (folder / doc(filled).version).unlink()
    broken = folder / doc(filled, "b.txt").version
    broken.write_bytes(broken.read_bytes()[::-1])
    assert {(p.source, p.kind) for p in check(filled.stores, filled.base)} == {("a.txt", "file_gone"), ("b.txt", "file_changed")}
    repair(filled.pipeline, filled.stores, filled.base, filled.settings)
    assert kinds(filled) == {"file_gone"}
    assert filled.lexical("shipping") == ["b.txt"], "what is indexed of it stays"
    assert [filled.add(name, content).status for name, content in (("a.txt", LONG), ("b.txt", "Shipping takes five days."))] == [
        "unchanged",
        "unchanged",
    ]
    assert kinds(filled) == set()


def test_a_broken_document_whose_file_is_gone_stays_and_says_so(filled: Desk) -> None:
    (filled.library.folder / "files" / doc(filled).version).unlink()
    rows(filled).delete("source = 'a.txt' and chunk_index = 0")
    desk = filled.reopened()
    [report] = repair(desk.pipeline, desk.stores, desk.base, desk.settings)
    assert (report.status, "Add it again" in report.reason) == ("failed", True)
    assert desk.lexical("refund")


def test_what_is_half_done_is_told_until_it_is_recovered(filled: Desk) -> None:
    from store.changes import Changes

    changes = Changes(filled.stores)
    changes._begin(filled.base, Change(doc(filled).doc_id, "a.txt", doc(filled).version, {}))
    assert kinds(filled) == {"pending"}
    filled.pipeline.recover(filled.settings)
    assert kinds(filled) == set()


def test_another_dimension_and_no_index_are_found(filled: Desk) -> None:
    passport = filled.base.passport
    filled.library.set_passport(filled.base, passport | {"embedder": passport["embedder"] | {"dimension": 8}})
    assert "wrong_dimension" in kinds(filled)
    filled.library.set_passport(filled.base, passport)
    rows(filled).drop_index("embed_text_idx")
    assert "no_index" in kinds(filled)
    desk = filled.reopened(WordEmbeddings())
    assert kinds(desk) == set(), "opening makes it"


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    (tmp_path / "a.txt").write_text("Refund window is thirty days.", encoding="utf-8")

    def call(*arguments: str) -> tuple[int, dict]:
        status = main([*arguments, "--json"])
        return status, json.loads(capsys.readouterr().out)

    assert call("add", str(tmp_path / "a.txt"))[0] == 0
    assert call("add", str(tmp_path / "a.txt"), "--kb", "other")[0] == 0
    status, told = call("check")
    assert (status, [base["kb"] for base in told["bases"]], told["files"]) == (0, ["default", "other"], [])
    with lancedb_of(tmp_path, told["bases"][0]["kb"]) as table:
        table.delete("true")
    status, told = call("check", "--kb", "default")
    assert (status, told["files"][0]["code"], told["files"][0]["kb"]) == (1, "chunk_count", "default")
    assert call("check", "--kb", "other")[0] == 0
    status, told = call("check", "--repair")
    assert (status, [report["status"] for report in told["bases"][0]["repaired"]]) == (0, ["replaced"])
    assert call("check", "--kb", "none")[0] == 2


def lancedb_of(tmp_path: Path, name: str):
    from contextlib import nullcontext

    from store.database import connect
    from store.library import Library

    engine = connect(tmp_path / "store")
    folder = Library(engine, folder=tmp_path / "store").chunk_folder(Library(engine, folder=tmp_path / "store").base(name))
    engine.dispose()
    return nullcontext(lancedb.connect(str(folder)).open_table("chunks"))
