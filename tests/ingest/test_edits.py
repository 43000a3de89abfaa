"""Documents and chunks are switched off and on and corrected: what is found, shown and told then."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.__main__ import main
from ingest.edits import LONGEST, chunks, correct, revert, switch
from store.errors import InvalidText, UnknownChunk, UnknownDocument
from store.library import StoredDocument
from store.stored import StoredChunk
from tests.ingest.desk import Desk

REFUND = "Refund window is thirty days, counted from the day on which the parcel has arrived."
SHIPPING = "Shipping takes five working days, and two more for islands without a daily ferry."
SIZES = {"chunker": "recursive", "chunk_size": 100, "chunk_overlap": 0, "min_chunk_size": 1}


@pytest.fixture(autouse=True)
def two_chunks(desk: Desk) -> None:
    desk.add("a.txt", f"{REFUND}\n\n{SHIPPING}", **SIZES)
    desk.add("b.txt", "退款期限为三十天。", **SIZES)


def of(desk: Desk, name: str = "a.txt") -> tuple[StoredChunk, ...]:
    return chunks(desk.stores, desk.base, name).chunks


def row(desk: Desk, name: str = "a.txt") -> StoredDocument:
    document = desk.library.find(desk.base, name)
    assert document is not None
    return document


def fix(desk: Desk, chunk: StoredChunk, text: str) -> tuple[str, ...]:
    return correct(desk.stores, desk.base, chunk.id, text, desk.settings).changed


def found(desk: Desk, words: str) -> list[str]:
    """The texts that both legs find: full text, and the nearest by meaning."""
    where = desk.chunks.census.condition()
    vector = desk.stores.embeddings.embed_query(words)
    nearest = desk.chunks.search_segments(vector, depth=1, where=where)
    lexical = desk.chunks.search_text(words, depth=9, where=where)
    return [candidate.page_content for candidate, _ in [*lexical, *nearest]]


def test_a_chunk_that_is_switched_off_is_in_no_leg_until_it_is_on_again(desk: Desk) -> None:
    refund, shipping = of(desk)
    assert (refund.text, refund.enabled, refund.edited) == (REFUND, True, False)
    told = switch(desk.stores, desk.base, "a.txt", on=False, chunk_ids=[refund.id])
    assert (told.changed, told.enabled) == ((refund.id,), True)
    assert REFUND not in found(desk, "refund window thirty days")
    assert found(desk, "shipping")[0] == SHIPPING
    assert [chunk.enabled for chunk in of(desk)] == [False, True]
    assert switch(desk.stores, desk.base, "a.txt", on=True, chunk_ids=[refund.id]).changed == (refund.id,)
    assert found(desk, "refund window") == [REFUND, REFUND]
    assert switch(desk.stores, desk.base, "a.txt", on=True, chunk_ids=[shipping.id]).changed == ()


def test_a_document_that_is_on_again_keeps_the_chunks_off_that_were_off_singly(desk: Desk) -> None:
    refund, shipping = of(desk)
    switch(desk.stores, desk.base, "a.txt", on=False, chunk_ids=[refund.id])
    off = switch(desk.stores, desk.base, "a.txt", on=False)
    assert (off.changed, off.enabled) == ((shipping.id,), False)
    document = row(desk, "a.txt")
    assert (document.enabled, document.edited.off) == (False, 1)
    assert desk.chunks.search_text("refund shipping", depth=9, where=desk.chunks.census.condition()) == []
    assert found(desk, "退款")[0] == "退款期限为三十天。"
    on = switch(desk.stores, desk.base, "a.txt", on=True)
    assert (on.changed, on.enabled) == ((shipping.id,), True)
    assert [chunk.enabled for chunk in of(desk)] == [False, True]


@pytest.mark.parametrize(
    ("name", "new", "asked", "old"),
    [
        ("a.txt", "Refund window is ninety weeks.", "ninety weeks", "thirty"),
        ("b.txt", "退款期限为九十个星期。", "九十个星期", "三十天"),
        ("b.txt", "退款期限為九十個星期。", "九十个星期", "三十天"),
    ],
)
def test_both_legs_find_what_was_corrected_and_not_what_it_was(desk: Desk, name: str, new: str, asked: str, old: str) -> None:
    chunk, *_ = of(desk, name)
    assert fix(desk, chunk, f"  {new}\n") == (chunk.id,)
    assert found(desk, asked) == [new, new]
    assert all(old not in text for text in found(desk, old))
    after, *_ = of(desk, name)
    assert (after.text, after.edited, after.original) == (new, True, chunk.text)
    assert (after.id, after.start, after.end) == (chunk.id, chunk.start, chunk.end)
    document = row(desk, name)
    assert document.edited.corrected == 1
    assert desk.library.text(document.doc_id)[chunk.start : chunk.end] == chunk.text
    desk.check()
    revert(desk.stores, desk.base, chunk.id, desk.settings)
    assert of(desk, name)[0] == chunk
    assert found(desk, asked)[0] != new


def test_segments_and_vectors_are_those_of_the_corrected_text(desk: Desk) -> None:
    chunk, *_ = of(desk)
    before = desk.chunks.whole_chunks([chunk.id])[0]
    fix(desk, chunk, "Customers may return whatever they bought within one hundred weeks.")
    after = desk.chunks.whole_chunks([chunk.id])[0]
    expected = desk.stores.embeddings.embed_query(after.shown_text)
    assert after.vector == pytest.approx(expected, abs=1e-3)
    assert after.segments == ((chunk.start, chunk.start + len(after.shown_text)),)
    revert(desk.stores, desk.base, chunk.id, desk.settings)
    again = desk.chunks.whole_chunks([chunk.id])[0]
    assert (again.segments, again.embed_text, again.created_at) == (before.segments, before.embed_text, before.created_at)
    assert again.vector == pytest.approx(before.vector, abs=1e-6)


def test_wrong_ids_names_and_texts_are_refused_and_change_nothing(desk: Desk) -> None:
    chunk, *_ = of(desk)
    wrong: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: switch(desk.stores, desk.base, "none.txt", on=False), UnknownDocument),
        (lambda: switch(desk.stores, desk.base, "b.txt", on=False, chunk_ids=[chunk.id]), UnknownChunk),
        (lambda: fix(desk, chunk._replace(id="x' or 1=1"), "a"), UnknownChunk),
        (lambda: fix(desk, chunk, " \n\0"), InvalidText),
        (lambda: fix(desk, chunk, "x" * (LONGEST + 1)), InvalidText),
    ]
    for act, error in wrong:
        with pytest.raises(error):
            act()
    assert of(desk)[0] == chunk
    desk.check()


def test_where_chunks_overlap_no_one_finds_the_old_words(desk: Desk) -> None:
    lines = [f"Line {n} tells of kettle{n}, of lid{n} and of handle{n}." for n in range(24)]
    desk.add("long.txt", "\n".join(lines), chunker="recursive", chunk_size=300, chunk_overlap=120, min_chunk_size=1)
    held = of(desk, "long.txt")
    shared = next(line for line in lines if sum(line in chunk.text for chunk in held) == 2)
    word = shared.split()[4].rstrip(",")
    first, second = (chunk for chunk in held if shared in chunk.text)
    assert fix(desk, first, first.text.replace(word, "samovar")) == (first.id, second.id)
    assert desk.chunks.search_text(word, depth=9) == []
    assert sum("samovar" in text for text in found(desk, "samovar")[:-1]) == 2
    after = of(desk, "long.txt")
    assert [chunk.edited for chunk in after].count(True) == 2
    assert fix(desk, first, "All is new.") == (first.id, second.id)
    assert desk.chunks.search_text("samovar", depth=9) == []
    assert desk.chunks.search_text(shared.split()[1], depth=9) == [], "what both had is gone from both"
    revert(desk.stores, desk.base, first.id, desk.settings)
    assert of(desk, "long.txt") == held


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Run a command with --json; gives the exit status and the JSON."""
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "command"))
    monkeypatch.chdir(Path(__file__).parents[2])

    def run(*arguments: object) -> tuple[int, dict[str, Any]]:
        status = main([*map(str, arguments), "--json"])
        [line] = capsys.readouterr().out.splitlines()
        told: dict[str, Any] = json.loads(line)
        return status, told

    return run


def test_from_the_command_line(call: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(REFUND, encoding="utf-8")
    call("add", tmp_path / "a.txt")
    status, told = call("chunks", "a.txt")
    [chunk] = told["chunks"]
    assert (status, told["enabled"], told["lost"]) == (0, True, [])
    assert (chunk["text"], chunk["enabled"], chunk["edited"], chunk["start"]) == (REFUND, True, False, 0)
    assert {"id", "end", "page", "heading", "sheet", "rows", "original"} <= set(chunk)

    (tmp_path / "new.txt").write_bytes("退款期限为九十天。".encode("gbk"))
    status, told = call("correct", chunk["id"], "--file", tmp_path / "new.txt")
    assert (status, told["changed"], told["chunk"]["text"]) == (0, [chunk["id"]], "退款期限为九十天。")
    assert (told["chunk"]["edited"], told["chunk"]["original"]) == (True, REFUND)
    [listed] = call("list")[1]["documents"]
    assert (listed["enabled"], listed["edited"]) == (True, {"off": 0, "corrected": 1, "lost": 0})
    assert call("correct", chunk["id"], "--revert")[1]["chunk"]["text"] == REFUND

    status, told = call("off", "a.txt", "none.txt")
    assert (status, [file["status"] for file in told["files"]]) == (1, ["off", "failed"])
    assert told["files"][1]["code"] == "no_such_document"
    assert call("chunks", "a.txt")[1]["chunks"][0]["enabled"] is False
    assert call("on", "a.txt")[1]["files"][0]["changed"] == [chunk["id"]]
    assert call("off", "a.txt", "--chunk", chunk["id"])[1]["files"][0]["enabled"] is True

    for wrong in [
        ("off", "a.txt", "--chunk", chunk["id"], "other"),
        ("correct", chunk["id"]),
        ("correct", chunk["id"], "--text", " "),
        ("correct", "none", "--text", "a"),
        ("correct", chunk["id"], "--text", "a", "--revert"),
        ("correct", chunk["id"], "--file", tmp_path / "missing.txt"),
        ("chunks", "none.txt"),
    ]:
        status, told = call(*wrong)
        assert (status, set(told)) == (2, {"error"}), wrong
