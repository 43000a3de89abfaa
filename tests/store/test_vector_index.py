"""The vector index: built when a base is large enough, kept when it finds what a scan finds, and no row is lost by it."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from store import vector_index
from store.chunks import ChunkStore
from store.schema import Chunk, FloatArray
from store.vector_index import LEAST_RECALL, ensure_vector_index, has_vector_index, recall
from tests.standin import WordEmbeddings
from tests.store.making import make_chunk

ROWS, DIMENSION = 300, 16


def vectors(count: int, *, seed: int) -> FloatArray:
    """Unit vectors around a few directions, as those of texts on a few subjects are."""
    random = np.random.default_rng(seed)
    subjects = random.standard_normal((8, DIMENSION))
    raw = subjects[random.integers(0, 8, count)] + 0.6 * random.standard_normal((count, DIMENSION))
    unit: FloatArray = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    return unit


def chunks(of: FloatArray, *, name: str) -> list[Chunk]:
    return [make_chunk(f"{name}{n}", f"text {name}{n}", vector=v, segment_vectors=v[None]) for n, v in enumerate(of)]


@pytest.fixture
def large(words, tmp_path) -> ChunkStore:
    """Just as many rows as make an index worth it."""
    store = ChunkStore(words, folder=tmp_path / "chunks", index_from=ROWS)
    store.upsert(chunks(vectors(ROWS, seed=1), name="c"))
    return store


def exact(probe: FloatArray, stored: FloatArray, count: int) -> list[int]:
    nearest: list[int] = np.argsort(-(stored @ probe), kind="stable")[:count].tolist()
    return nearest


def found(store: ChunkStore, probe: FloatArray, count: int) -> list[str]:
    return [str(chunk.id) for chunk, _ in store.search_vector(probe, depth=count)]


def test_the_index_is_built_with_the_first_optimization_of_a_large_base(large):
    assert not has_vector_index(large._table)
    large.optimize()
    assert has_vector_index(large._table)
    assert recall(large._table) >= LEAST_RECALL
    assert ensure_vector_index(large._writer, from_rows=ROWS) is None, "there is one"


def test_a_smaller_base_stays_without(words, tmp_path):
    store = ChunkStore(words, folder=tmp_path / "chunks", index_from=ROWS)
    store.upsert(chunks(vectors(ROWS - 1, seed=1), name="c"))
    store.optimize()
    assert not has_vector_index(store._table)


def test_the_nearest_are_found_through_the_index_with_their_cosines(large):
    stored, probes = vectors(ROWS, seed=1), vectors(20, seed=2)
    large.optimize()
    plan = large._table.search(probes[0], vector_column_name="vector").distance_type("cosine").select(["id", "_distance"])
    assert "ANN" in plan.explain_plan(verbose=True)
    shares = []
    for probe in probes:
        results = large.search_vector(probe, depth=10)
        shares.append(len({f"c{n}" for n in exact(probe, stored, 10)} & {str(chunk.id) for chunk, _ in results}) / 10)
        assert [score for _, score in results] == sorted((score for _, score in results), reverse=True)
        for chunk, score in results:
            assert score == pytest.approx(float(stored[int(str(chunk.id)[1:])] @ probe), abs=1e-5)
    assert np.mean(shares) >= LEAST_RECALL


def test_rows_that_came_after_the_index_are_found_before_and_after_the_next_optimization(large):
    large.optimize()
    new = vectors(5, seed=3)
    large.upsert(chunks(new, name="new"))
    for _ in range(2):
        assert [found(large, vector, 1) for vector in new] == [[f"new{n}"] for n in range(5)]
        large.optimize()
    large.delete(["new2"])
    for _ in range(2):
        assert "new2" not in found(large, new[2], 20)
        large.optimize()
    assert has_vector_index(large._table)


def test_a_condition_holds_through_the_index(large):
    large.optimize()
    large.upsert([make_chunk("q", "a question", kind="question", parent_id="c0", vector=vectors(1, seed=1)[0])])
    probe = vectors(1, seed=1)[0]
    assert "q" in found(large, probe, 20)
    only = large.search_vector(probe, depth=20, where=large.census.condition())
    assert len(only) == 20
    assert "q" not in {str(chunk.id) for chunk, _ in only}


def test_ranks_in_the_whole_base_are_exact(large):
    large.optimize()
    stored, probe = vectors(ROWS, seed=1), vectors(1, seed=2)[0]
    ranked = large.ranked_ids(probe)
    assert len(ranked) == ROWS
    assert [key for key, _ in ranked[:50]] == [f"c{n}" for n in exact(probe, stored, 50)]


def test_an_index_that_finds_too_little_is_dropped_again(large, monkeypatch, caplog):
    monkeypatch.setattr(vector_index, "recall", lambda _: 0.5)
    with caplog.at_level(logging.WARNING, logger="store.vector_index"):
        large.optimize()
    assert not has_vector_index(large._table)
    assert "found 50 % of the nearest passages only" in caplog.text
    probe = vectors(1, seed=2)[0]
    assert found(large, probe, 10) == [f"c{n}" for n in exact(probe, vectors(ROWS, seed=1), 10)]


def test_the_larger_index_is_tried_when_the_first_finds_too_little(large, monkeypatch):
    shares = iter([0.5, 0.97])
    monkeypatch.setattr(vector_index, "recall", lambda _: next(shares))
    assert ensure_vector_index(large._writer, from_rows=ROWS) == 0.97
    assert has_vector_index(large._table)


def test_the_setting_reaches_the_table(tmp_path):
    from settings import load_settings
    from store.stores import open_stores

    settings = load_settings({"store.dir": str(tmp_path), "store.vector_index_from": 256}, env={})
    stores = open_stores(settings, WordEmbeddings(DIMENSION))
    store = stores.open(stores.library.ensure_base("large"))
    store.upsert(chunks(vectors(256, seed=1), name="c"))
    store.optimize()
    assert has_vector_index(store._table)
