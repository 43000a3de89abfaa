"""The census: a search pays for a condition only when some row does not fit it."""

from __future__ import annotations

import time

from lancedb.expr import col, lit

from store.census import Census
from store.chunks import ChunkStore
from store.search import LOOK_AGAIN
from tests.store.making import make_chunk


def switch(store: ChunkStore, key: str, *, on: bool) -> None:
    with store._writing() as table:
        table.update(where=(col("id") == lit(key)).to_sql(), values={"enabled": on})


def counts(census: Census) -> tuple[int, int, int]:
    return census.rows, census.disabled, census.written


def test_a_base_of_chunks_that_are_all_on_needs_no_condition(store):
    assert counts(store.census) == (0, 0, 0)
    store.upsert([make_chunk("a", "one"), make_chunk("b", "two")])
    assert counts(store.census) == (2, 0, 0)
    assert store.census.condition() is None
    where = col("id") == lit("a")
    assert store.census.condition(where) is where


def test_each_change_is_seen_at_once(store):
    store.upsert([make_chunk("a", "same words"), make_chunk("b", "same words")])
    assert store.census.condition() is None
    switch(store, "a", on=False)
    assert counts(store.census) == (2, 1, 0)
    store.upsert([make_chunk("q", "same words", kind="question", parent_id="b")])
    assert counts(store.census) == (3, 1, 1)
    switch(store, "a", on=True)
    store.delete(["q"])
    assert counts(store.census) == (2, 0, 0)
    assert store.census.condition() is None


def test_the_table_is_counted_once_for_each_state(store):
    store.upsert([make_chunk("a", "one")])
    known = store.census
    assert store.census is known
    store.upsert([make_chunk("b", "two")])
    assert store.census is not known


def test_a_change_made_elsewhere_is_seen(store, words, tmp_path):
    store.upsert([make_chunk("a", "one")])
    assert store.census.written == 0
    ChunkStore(words, folder=tmp_path / "chunks").upsert([make_chunk("q", "two", kind="summary", parent_id="a")])
    time.sleep(LOOK_AGAIN)
    assert store.census.written == 1


def test_a_commit_that_ends_while_the_version_is_looked_up_is_seen_at_once(store, monkeypatch):
    store.upsert([make_chunk("a", "one")])
    table = store._table

    class Looking:
        @property
        def version(self) -> int:
            version = int(table.version)
            store.upsert([make_chunk("b", "two")])
            return version

    monkeypatch.setitem(vars(store), "_table", Looking())
    before = store.revision
    monkeypatch.setitem(vars(store), "_table", table)
    assert store.revision == table.version > before


def test_the_condition_keeps_what_is_on_and_of_the_kinds(store):
    kinds = {"a": "chunk", "b": "chunk", "q": "question", "s": "summary", "off": "question"}
    store.upsert([make_chunk(key, "same words", kind=kind, parent_id="a") for key, kind in kinds.items()])
    switch(store, "b", on=False)
    switch(store, "off", on=False)

    def found(kinds: tuple[str, ...], where: object = None) -> set[str]:
        condition = store.census.condition(where, kinds=kinds)
        return {str(chunk.id) for chunk, _ in store.search_text("words", depth=10, where=condition)}

    assert found(("chunk",)) == {"a"}
    assert found(("question", "summary")) == {"q", "s"}
    assert found(("summary",)) == {"s"}
    assert found(()) == set()
    assert found(("chunk",), col("id") == lit("q")) == set()
