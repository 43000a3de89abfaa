"""Remembered searches: each question has candidates of its own, and no answer is older than the base."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from retrievers.hits import REMEMBERED, Hits, Scored
from retrievers.query_vectors import QueryVectors
from store.chunks import ChunkStore
from store.filters import Conditions
from store.search import LOOK_AGAIN
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import chunk, ids, word_shelf
from tests.standin import WordEmbeddings

SEARCHES: dict[str, Callable[..., Scored]] = {
    "text": lambda hits, **more: hits.text("harbour 手机", depth=10, **more),
    "substrings": lambda hits, **more: hits.substrings(["手机", "arbou"], depth=10, **more),
    "vector": lambda hits, **more: hits.vector("harbour 手机", depth=10, **more),
    "segments": lambda hits, **more: hits.segments("harbour 手机", depth=10, **more),
    "written": lambda hits, **more: hits.written("harbour 手机", depth=10, kinds=("question",), **more),
}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = word_shelf(tmp_path)
    shelf.store.upsert([chunk("a", "The harbour of Lisbon"), chunk("b", "手机 in the harbour"), about("a")])
    return shelf


@pytest.fixture
def hits(shelf: Shelf) -> Hits:
    return Hits(shelf.store, shelf.vectors)


def about(key: str) -> Any:
    return chunk(f"about {key}", "Where is the harbour?", kind="question", parent_id=key, doc_id=f"doc {key}")


def keys(found: Scored) -> list[str]:
    return [str(candidate.id) for candidate, _ in found]


@pytest.mark.parametrize("search", SEARCHES)
def test_what_one_question_writes_does_not_show_in_another(hits: Hits, search: str) -> None:
    first = SEARCHES[search](hits)
    before = [(str(c.id), dict(c.metadata), score) for c, score in first]
    assert before
    for candidate, _ in first:
        candidate.metadata["scores"] = {"bm25": 1}
        candidate.metadata["relevance"] = 0.5
        candidate.metadata.pop("source")
        candidate.with_segment_vectors(None)
    first.clear()
    again = SEARCHES[search](hits)
    assert [(str(c.id), c.metadata, score) for c, score in again] == before
    assert all(c.segment_vectors is not None for c, _ in again)


@pytest.mark.parametrize("search", SEARCHES)
def test_the_same_search_reads_the_table_once(hits: Hits, search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    SEARCHES[search](hits)
    for name in ("begin_text", "begin_vector", "search_segments", "search_substrings", "candidates"):
        monkeypatch.setattr(ChunkStore, name, lambda *_, **__: pytest.fail("the table is read again"))
    assert SEARCHES[search](hits)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_change_of_the_base_is_seen_at_once(shelf: Shelf, hits: Hits, search: str) -> None:
    ask = SEARCHES[search]
    assert "c" not in keys(ask(hits))
    shelf.store.upsert([chunk("c", "手机 and harbour and harbour"), about("c")])
    assert "c" in keys(ask(hits))
    shelf.store.delete_documents(["doc c"])
    assert "c" not in keys(ask(hits))
    ChunkStore(WordEmbeddings(64), folder=shelf.store._folder).upsert([chunk("d", "harbour 手机"), about("d")])
    time.sleep(LOOK_AGAIN)
    assert "d" in keys(ask(hits)), "written by another process"


@pytest.mark.parametrize("search", SEARCHES)
def test_conditions_and_depth_are_not_mixed_up(hits: Hits, search: str) -> None:
    ask = SEARCHES[search]
    every = keys(ask(hits))
    only = Conditions(doc_ids=("doc a",))
    assert keys(ask(hits, conditions=only)) == ["a"]
    assert keys(ask(hits, conditions=Conditions(doc_ids=()))) == []
    assert keys(ask(hits)) == every
    assert len(hits.text("harbour", depth=1)) == 1 < len(hits.text("harbour", depth=2))


def test_many_questions_at_once_get_each_its_own_answer(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    count = 2 * REMEMBERED
    shelf.store.upsert([chunk(f"c{n}", f"word{n} and something else") for n in range(count)])
    alone = [ids(shelf.find(f"word{n}", top_k=3)) for n in range(0, count, 8)]
    fresh = word_shelf(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda n: ids(fresh.find(f"word{n}", top_k=3)), [*range(0, count, 8)] * 4))
    assert together == alone * 4
    assert [found[0] for found in alone] == [f"c{n}" for n in range(0, count, 8)]


def test_questions_while_the_base_changes_fail_nowhere(shelf: Shelf) -> None:
    def change(n: int) -> None:
        shelf.store.upsert([chunk(f"n{n}", f"harbour number{n}")])

    with ThreadPoolExecutor(4) as pool:
        changes = [pool.submit(change, n) for n in range(12)]
        found = list(pool.map(lambda _: ids(shelf.find("harbour", top_k=50)), range(24)))
        for done in changes:
            done.result()
    assert all({"a", "b"} <= set(keys) for keys in found)
    assert {f"n{n}" for n in range(12)} <= set(ids(shelf.find("harbour", top_k=50)))


def test_query_vectors_are_embedded_once_and_cannot_be_changed() -> None:
    embeddings = WordEmbeddings(16)
    vectors = QueryVectors(embeddings)
    first = vectors.of("harbour")
    assert vectors.of("harbour") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1
