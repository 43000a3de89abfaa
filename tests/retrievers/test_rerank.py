"""The rerank layer: order, marks, relevance, what stays when the reranker fails, and how often it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from models import Reranker
from retrievers.calibration import rerank_relevance
from retrievers.ledger import recording
from retrievers.rerank import RerankCompressor, Rerankers
from settings import Settings, load_settings
from tests.rerank_server import RerankServer
from tests.retrievers.passages import names, passage

QUERY = "red fox"
TEXTS = {"whale": "a blue whale", "fox": "the red fox", "car": "a red car", "fish": "a red herring"}


def passages(**texts: str) -> list[Document]:
    return [passage(name, text=text, relevance=0.9) for name, text in (texts or TEXTS).items()]


def configured(server: RerankServer, **changes: object) -> Settings:
    chosen = {"enabled": True, "provider": "endpoint", "base_url": server.url, "model": "ranker", "timeout_seconds": 1} | changes
    return load_settings({f"retrieval.rerank.{key}": value for key, value in chosen.items()}, env={})


def layer(server: RerankServer, *, depth: int = 40) -> RerankCompressor:
    return RerankCompressor(reranker=Rerankers().of(configured(server)), depth=depth)


def test_the_order_is_the_rerankers_and_ties_keep_theirs() -> None:
    with RerankServer("vllm") as server, recording() as book:
        found = layer(server).compress_documents(passages(), QUERY)
    assert names(found) == ["fox", "car", "fish", "whale"]
    assert [(d.metadata["scores"]["rerank"].rank, d.metadata["scores"]["rerank"].score) for d in found] == [
        (1, 1.0),
        (2, 0.5),
        (3, 0.5),
        (4, 0.0),
    ]
    assert [(d.metadata["relevance"], d.metadata["relevance_from"]) for d in found] == [
        (1.0, "rerank"),
        (0.5, "rerank"),
        (0.5, "rerank"),
        (0.0, "rerank"),
    ]
    assert [(s.name, s.taken_in, s.out) for s in book.stages] == [("rerank", 4, 4)]
    assert not book.notes


def test_what_lies_behind_the_depth_is_not_read_and_stays_behind() -> None:
    with RerankServer("vllm") as server:
        found = layer(server, depth=2).compress_documents(passages(), QUERY)
    assert names(found) == ["fox", "whale", "car", "fish"]
    assert server.sent == ["a blue whale", "the red fox"]
    assert "rerank" not in found[2].metadata["scores"]
    assert (found[2].metadata["relevance"], found[2].metadata.get("relevance_from")) == (0.9, None)


def test_logits_become_a_relevance_between_0_and_1() -> None:
    with RerankServer("vllm", logits=True) as server:
        found = layer(server).compress_documents(passages(), QUERY)
    assert [d.metadata["scores"]["rerank"].score for d in found] == [10, 0, 0, -10]
    assert [d.metadata["relevance"] for d in found] == pytest.approx([0.99995, 0.5, 0.5, 0.00005], abs=1e-5)


def test_a_heading_is_read_with_the_passage_that_does_not_hold_it() -> None:
    documents = [passage("a", text="Thirty days.", heading="Refunds"), passage("b", text="# Cars\nRed ones.", heading="Cars")]
    with RerankServer("vllm") as server:
        layer(server).compress_documents(documents, QUERY)
    assert server.sent == ["Refunds\nThirty days.", "# Cars\nRed ones."]


@pytest.mark.parametrize("failure", ["unauthorized", "hang", "out_of_range"])
def test_when_the_reranker_fails_the_order_stays_and_a_note_says_why(failure: str) -> None:
    with RerankServer("vllm", failure=failure) as server, recording() as book:
        found = layer(server).compress_documents(passages(), QUERY)
    assert names(found) == list(TEXTS)
    assert [(note.code, server.url in note.params["error"]) for note in book.notes] == [("rerank_failed", True)]
    assert [(s.taken_in, s.out) for s in book.stages] == [(4, 4)]
    assert all(d.metadata["relevance"] == 0.9 and "rerank" not in d.metadata["scores"] for d in found)


def test_moving_a_slider_behind_the_reranking_asks_nothing_anew(tmp_path: Path) -> None:
    with RerankServer("vllm") as server:
        rerankers = Rerankers(cache=tmp_path)
        for depth in (2, 4, 3):
            RerankCompressor(reranker=rerankers.of(configured(server, depth=depth)), depth=depth).compress_documents(
                passages(), QUERY
            )
        assert sorted(server.sent) == sorted(TEXTS.values())


def test_a_reranker_is_made_once_for_its_settings() -> None:
    with RerankServer("vllm") as server:
        rerankers = Rerankers()
        first = rerankers.of(configured(server))
        assert rerankers.of(configured(server, depth=7)) is first
        assert rerankers.of(configured(server, model="other")) is not first
        assert rerankers.of(load_settings(env={})) is None


# --- MaxSim ---


def test_maxsim_orders_by_the_best_segment_and_leaves_the_relevance() -> None:
    documents = [
        passage("weak", segment_cosines=[0.7, 0.71], relevance=0.1),
        passage("foreign"),
        passage("best", segment_cosines=[0.2, 0.95], relevance=0.8),
        passage("good", segment_cosines=[0.9], relevance=0.7),
    ]
    with recording() as book:
        found = RerankCompressor(depth=40).compress_documents(documents, QUERY)
    assert names(found) == ["best", "good", "weak", "foreign"]
    assert [d.metadata["scores"]["rerank"].score for d in found[:3]] == [0.95, 0.9, 0.71]
    assert [(d.metadata["relevance"], d.metadata.get("relevance_from")) for d in found[:2]] == [(0.8, None), (0.7, None)]
    assert not book.notes


def test_nothing_in_nothing_out() -> None:
    with RerankServer() as server:
        assert list(layer(server).compress_documents([], QUERY)) == []
        assert not server.requests
    assert list(RerankCompressor().compress_documents([], QUERY)) == []


class Fixed(Reranker):
    """Gives the scores that it is told."""

    name = "fixed"

    def __init__(self, given: Sequence[float]) -> None:
        self.given = list(given)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return self.given[: len(texts)]


@given(st.lists(st.floats(-50, 50), max_size=8), st.integers(1, 10))
def test_nothing_is_lost_and_relevance_follows_the_order(scores: list[float], depth: int) -> None:
    documents = [passage(str(n)) for n in range(len(scores))]
    found = RerankCompressor(reranker=Fixed(scores), depth=depth).compress_documents(documents, QUERY)
    assert sorted(names(found)) == sorted(names(documents))
    assert names(found)[depth:] == names(documents)[depth:]
    head = found[:depth]
    relevances = [d.metadata["relevance"] for d in head]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 <= r <= 1 for r in relevances)
    assert [d.metadata["scores"]["rerank"].score for d in head] == sorted(scores[:depth], reverse=True)


@pytest.mark.parametrize(
    ("scores", "relevances"),
    [
        ([0.9, 0.0, 1.0], [0.9, 0.0, 1.0]),
        ([1.004, 0.9, -0.004], [1.0, 0.9, 0.0]),
        ([0.0, 2.0], [0.5, 0.8808]),
        ([-1000.0, 1000.0], [0.0, 1.0]),
        ([], []),
    ],
)
def test_relevance_of_rerank_scores(scores: list[float], relevances: list[float]) -> None:
    assert rerank_relevance(scores) == pytest.approx(relevances, abs=1e-4)
