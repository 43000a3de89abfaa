"""The vector leg: how candidates are found, how they are scored, and what was written for a passage."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lancedb.expr import col, lit
from langchain_core.documents import Document

from retrievers.ledger import Ledger, recording
from retrievers.vector import VectorRetriever
from store.schema import Candidate
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import chunk, codes, ids, word_shelf

FILLERS = ("one two three", "four five six", "seven eight nine", "ten eleven twelve")
WRITTEN = ("question", "summary")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """`needle` says one thing in one of many segments; `mean` is near to it as a whole."""
    shelf = word_shelf(tmp_path)
    shelf.store.upsert(
        [
            chunk("needle", "a b c d e f", says=["lighthouse keeper", *FILLERS, "thirteen fourteen"]),
            chunk("mean", "m n", says=["lighthouse north", "keeper south"]),
            chunk("other", "o p", says=["market hall", "fish and wine"]),
        ]
    )
    return shelf


def ask(shelf: Shelf, query: str, **fields: Any) -> tuple[list[Document], Ledger]:
    with recording() as book:
        return VectorRetriever(hits=shelf.searched.hits, **fields).invoke(query), book


def keys(documents: Sequence[Document]) -> list[str]:
    return [str(document.id) for document in documents]


def scores(documents: Sequence[Document], stage: str = "vector") -> list[float]:
    return [document.metadata["scores"][stage].score for document in documents]


def switch_off(shelf: Shelf, key: str) -> None:
    with shelf.store._writing() as table:
        table.update(where=(col("id") == lit(key)).to_sql(), values={"enabled": False})


def test_two_thirds_of_the_best_segment_and_one_of_the_mean_rank_whatever_finds(shelf: Shelf) -> None:
    for search in ("mean", "segments", "both"):
        found, book = ask(shelf, "lighthouse keeper", search=search)
        assert keys(found) == ["needle", "mean", "other"], search
        assert 2 / 3 < scores(found)[0] < 0.9, "the whole question is one segment, the others are about something else"
        vectors = next(d.segment_vectors for d in found if isinstance(d, Candidate) and d.id == "mean")
        assert vectors is not None
        query = np.asarray(shelf.searched.vectors.of("lighthouse keeper"))
        mean = vectors.sum(axis=0) / np.linalg.norm(vectors.sum(axis=0))
        assert scores(found)[1] == pytest.approx((2 * max(vectors @ query) + mean @ query) / 3, abs=2e-2)
        assert [document.metadata["scores"]["vector"].rank for document in found] == [1, 2, 3]
        assert [(stage.name, stage.added) for stage in book.stages] == [("embed_query", 0), ("vector", 3)]


@pytest.mark.parametrize(("search", "found"), [("mean", "mean"), ("segments", "needle"), ("both", "needle")])
def test_to_a_small_depth_the_mean_misses_what_one_segment_says(shelf: Shelf, search: Any, found: str) -> None:
    assert keys(ask(shelf, "lighthouse keeper", search=search, k=1)[0]) == [found]


@pytest.mark.parametrize(("search", "found"), [("mean", {"mean"}), ("segments", {"needle"}), ("both", {"needle", "mean"})])
def test_both_finds_what_either_finds(shelf: Shelf, search: Any, found: set[str]) -> None:
    candidates = VectorRetriever(hits=shelf.searched.hits, search=search)._candidates("lighthouse keeper", 1)
    assert set(keys(candidates)) == found


def test_distances_give_the_order_of_cosines(shelf: Shelf) -> None:
    cosine, distance = (ask(shelf, "keeper of wine", metric=metric)[0] for metric in ("cosine", "l2"))
    assert keys(cosine) == keys(distance)
    assert scores(distance) == pytest.approx([-np.sqrt(2 - 2 * c) for c in scores(cosine)], abs=1e-5)
    assert max(scores(distance)) <= 0
    found = shelf.find("keeper of wine", **{"vector.metric": "l2"}).contexts
    assert all(context.scores["vector"].score <= 0 for context in found)


@pytest.fixture(params=WRITTEN)
def written(shelf: Shelf, request: pytest.FixtureRequest) -> Shelf:
    """A text of that kind is written for `other`, which shares no word with it."""
    text = "Where is the submarine?"
    shelf.store.upsert([chunk("about other", text, kind=request.param, parent_id="other", doc_id="doc other")])
    return shelf


def test_what_was_written_for_a_passage_counts_for_it(written: Shelf) -> None:
    found, _ = ask(written, "Where is the submarine?", written=WRITTEN)
    assert keys(found)[0] == "other"
    assert scores(found)[0] == pytest.approx(1.0, abs=1e-3) == scores(found[:1], "questions")[0]
    assert found[0].metadata["scores"]["questions"].rank == 1
    assert all("questions" not in document.metadata["scores"] for document in found[1:])
    assert scores(found)[0] > scores(ask(written, "Where is the submarine?")[0])[0]


def test_a_written_text_brings_a_passage_that_nothing_else_brings(written: Shelf) -> None:
    assert "other" not in keys(ask(written, "lighthouse submarine", k=1)[0])
    assert keys(ask(written, "Where is the submarine?", k=1, written=WRITTEN)[0]) == ["other"]


def test_of_several_written_texts_the_nearest_counts(written: Shelf) -> None:
    more = ["Something else about it", "Where is the submarine now?", "Where was the old submarine of the market hall?"]
    written.store.upsert([chunk(f"more{n}", t, kind="question", parent_id="other") for n, t in enumerate(more)])
    found, _ = ask(written, "Where is the submarine?", written=WRITTEN)
    assert keys(found)[0] == "other"
    assert scores(found[:1], "questions") == pytest.approx([1.0], abs=1e-3)
    assert [key for key in keys(found) if key == "other"] == ["other"]


def test_a_worse_written_text_does_not_lower_a_passage(shelf: Shelf) -> None:
    before = scores(ask(shelf, "lighthouse keeper")[0])
    shelf.store.upsert([chunk("far", "unrelated words", kind="question", parent_id="needle")])
    assert scores(ask(shelf, "lighthouse keeper", written=WRITTEN)[0]) == pytest.approx(before)


def test_a_written_text_is_never_a_context_itself(written: Shelf) -> None:
    for weight in (0.0, 0.5, 1.0):
        for search in ("mean", "segments", "both"):
            found = written.find("Where is the submarine?", vector_weight=weight, top_k=50, **{"vector.search": search})
            assert "about other" not in ids(found) + [drop.chunk_id for drop in found.ledger.drops]
    assert written.find("submarine", vector_weight=0.0).contexts == ()


@pytest.mark.parametrize("layer", ["questions", "summaries"])
def test_each_kind_is_switched_off_by_its_layer(shelf: Shelf, layer: str) -> None:
    kind = {"questions": "question", "summaries": "summary"}[layer]
    shelf.store.upsert([chunk("about other", "Where is the submarine?", kind=kind, parent_id="other")])
    on = shelf.find("Where is the submarine?", vector_weight=1.0)
    assert ids(on)[0] == "other"
    assert on.contexts[0].scores["questions"].rank == 1
    off = shelf.find("Where is the submarine?", vector_weight=1.0, **{f"{layer}.enabled": False})
    assert all("questions" not in context.scores for context in off.contexts)
    assert off.contexts[0].scores["vector"].score < on.contexts[0].scores["vector"].score
    other = {"questions": "summaries", "summaries": "questions"}[layer]
    still = shelf.find("Where is the submarine?", vector_weight=1.0, **{f"{other}.enabled": False})
    assert "questions" in still.contexts[0].scores


def test_what_was_written_for_a_passage_that_is_gone_or_off_brings_nothing(written: Shelf) -> None:
    switch_off(written, "other")
    assert "other" not in keys(ask(written, "Where is the submarine?", written=WRITTEN)[0])
    written.store.delete(["other"])
    assert "other" not in keys(ask(written, "Where is the submarine?", written=WRITTEN)[0])


def test_a_passage_that_is_switched_off_is_found_by_no_leg(shelf: Shelf) -> None:
    shelf.store.upsert([chunk("secret", "heliotrope 新手机壳子", doc_id="doc other")])
    queries = ("heliotrope", "手机壳")
    for query in queries:
        assert "secret" in ids(shelf.find(query, vector_weight=0.0))
    switch_off(shelf, "secret")
    for query in queries:
        for weight in (0.0, 0.5, 1.0):
            for search in ("mean", "segments", "both"):
                found = shelf.find(query, vector_weight=weight, top_k=50, **{"vector.search": search})
                assert "secret" not in ids(found) + [drop.chunk_id for drop in found.ledger.drops]


def test_an_empty_base_has_no_neighbours(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path / "empty")
    for search in ("mean", "segments", "both"):
        found = shelf.find("anything", **{"vector.search": search})
        assert found.contexts == ()
        assert codes(found) == ["no_lexical_match"]
