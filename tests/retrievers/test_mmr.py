"""Maximal marginal relevance: the formula by hand, and LangChain's own order for its own relevance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from retrievers.ledger import score_of
from retrievers.mmr import Mmr
from tests.retrievers.passages import names, passage, unit


def test_by_hand() -> None:
    # relevances 1, 0.9, 0 by min-max; cosines: a-b 0.8, a-c 0, b-c 0.6
    documents = [
        passage("a", [1, 0], scores={"fused": 20.0}),
        passage("b", [0.8, 0.6], scores={"fused": 19.0}),
        passage("c", [0, 1], scores={"fused": 10.0}),
    ]
    chosen = Mmr(relevance_weight=0.4, depth=3).compress_documents(documents, "q")
    assert names(chosen) == ["a", "c", "b"]
    marginal = [score_of(document, "mmr") for document in chosen]
    assert marginal == pytest.approx([0.4, 0.0, 0.4 * 0.9 - 0.6 * 0.8], abs=1e-6)
    assert [document.metadata["scores"]["mmr"].rank for document in chosen] == [1, 2, 3]


def test_relevance_alone_keeps_the_order_and_difference_alone_seeks_the_farthest() -> None:
    documents = [passage(str(i), [np.cos(i / 10), np.sin(i / 10)], scores={"fused": 10.0 - i}) for i in range(6)]
    assert names(Mmr(relevance_weight=1, depth=6).compress_documents(documents, "q")) == list("012345")
    assert names(Mmr(relevance_weight=0, depth=6).compress_documents(documents, "q"))[:2] == ["0", "5"]


def test_the_rerankers_score_goes_before_the_fused_one() -> None:
    documents = [
        passage("a", [1, 0], scores={"fused": 1, "rerank": 0.1}),
        passage("b", [0, 1], scores={"fused": 0, "rerank": 0.9}),
    ]
    assert names(Mmr(relevance_weight=1, depth=2).compress_documents(documents, "q")) == ["b", "a"]


def test_what_lies_behind_the_depth_follows_as_it_was() -> None:
    documents = [passage(str(i), [1, i], scores={"fused": 1.0 * i}) for i in range(5)]
    chosen = Mmr(relevance_weight=1, depth=2).compress_documents(documents, "q")
    assert names(chosen) == ["1", "0", "2", "3", "4"]
    assert [score_of(document, "mmr") is None for document in chosen] == [False, False, True, True, True]


def test_a_passage_without_vectors_is_neither_favoured_nor_punished() -> None:
    """Between one that repeats the first and one that does not."""
    documents = [
        passage("first", [1, 0], scores={"fused": 2}),
        passage("same", [1, 0.01], scores={"fused": 1}),
        Document(id="foreign", page_content="x", metadata={"scores": dict(passage("", scores={"fused": 1}).metadata["scores"])}),
        passage("other", [0, 1], scores={"fused": 1}),
    ]
    assert names(Mmr(relevance_weight=0.5, depth=4).compress_documents(documents, "q")) == ["first", "other", "foreign", "same"]
    bare = [Document(id=name, page_content=name) for name in "abc"]
    assert names(Mmr(depth=3).compress_documents(bare, "q")) == ["a", "b", "c"]


VECTOR = st.lists(st.floats(-1, 1), min_size=3, max_size=3).filter(lambda v: np.linalg.norm(v) > 0.1)


@settings(max_examples=60, deadline=None)
@given(st.lists(VECTOR, min_size=2, max_size=7), VECTOR, st.floats(0.1, 0.9))
def test_with_the_cosine_as_relevance_the_order_is_langchains(
    vectors: list[list[float]], query: list[float], weight: float
) -> None:
    """Their relevance is not scaled to 0..1; ours is, so theirs gets the weight that makes both formulas the same."""
    units = np.stack([unit(*vector) for vector in vectors])
    cosines = units @ unit(*query)
    spread = float(cosines.max() - cosines.min())
    gaps = np.abs(np.subtract.outer(cosines, cosines))[np.triu_indices(len(vectors), 1)]
    if gaps.min() < 1e-3:  # a tie, which rounding decides
        return
    documents = [passage(str(i), v, scores={"fused": float(c)}) for i, (v, c) in enumerate(zip(vectors, cosines, strict=True))]
    # w * (c - low) / spread - (1 - w) * s  is, but for a constant and a factor,  v * c - (1 - v) * s
    theirs = weight / spread / (weight / spread + 1 - weight)
    order = maximal_marginal_relevance(unit(*query), units.tolist(), lambda_mult=theirs, k=len(vectors))
    ours = Mmr(relevance_weight=weight, depth=10).compress_documents(documents, "q")
    marginal = np.array([score_of(document, "mmr") for document in ours])
    if np.abs(np.diff(marginal)).min() > 1e-3:
        assert [int(name) for name in names(ours)] == order
