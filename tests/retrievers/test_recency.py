"""Recency: what a half-life takes, whose scores it goes on from, and documents without a date."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document

from retrievers.last_score import last_scores
from retrievers.ledger import recording, score_of
from retrievers.recency import Recency
from tests.retrievers.passages import names, passage

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def aged(name: str, days: float | None, **known: Any) -> Document:
    dated: dict[str, Any] = {} if days is None else {"created_at": NOW - timedelta(days=days)}
    return passage(name, [1, 0], **(known | dated))


def recency(**fields: Any) -> Recency:
    return Recency(now=lambda: NOW, **fields)


def test_half_of_the_weight_is_lost_after_the_half_life() -> None:
    documents = [
        aged("new", 0, scores={"fused": 4.0}),
        aged("old", 10, scores={"fused": 2.0}),
        aged("older", 20, scores={"fused": 0.0}),
    ]
    ranked = recency(half_life_days=10, weight=0.4).compress_documents(documents, "q")
    assert names(ranked) == ["new", "old", "older"]
    assert [score_of(d, "recency") for d in ranked] == pytest.approx([1.0, 0.5 - 0.4 * 0.5, -0.4 * 0.75])


def test_a_newer_one_passes_an_older_one_that_fits_a_little_better() -> None:
    documents = [
        aged("old", 900, scores={"fused": 1.0}),
        aged("new", 1, scores={"fused": 0.9}),
        aged("far", 0, scores={"fused": 0.0}),
    ]
    assert names(recency(weight=0.3).compress_documents(documents, "q")) == ["new", "old", "far"]
    assert names(recency(weight=0).compress_documents(documents, "q")) == ["old", "new", "far"]


def test_equal_scores_stay_in_order() -> None:
    documents = [aged(name, 5, scores={"fused": 1.0}) for name in "cab"]
    assert names(recency().compress_documents(documents, "q")) == ["c", "a", "b"]


def test_a_passage_without_a_date_is_of_median_age() -> None:
    documents = [
        aged(name, days, scores={"fused": 1.0}) for name, days in (("old", 300), ("none", None), ("mid", 100), ("new", 1))
    ]
    ranked = recency().compress_documents(documents, "q")
    assert names(ranked) == ["new", "none", "mid", "old"]
    assert score_of(ranked[1], "recency") == score_of(ranked[2], "recency")


def test_without_any_date_nothing_changes_and_a_note_says_so() -> None:
    documents = [aged("b", None, scores={"fused": 0.0}), aged("a", None, scores={"fused": 1.0})]
    with recording() as book:
        assert names(recency().compress_documents(documents, "q")) == ["b", "a"]
        assert recency().compress_documents([], "q") == []
    assert [note.code for note in book.notes] == ["recency_without_dates"]


def test_dates_to_come_and_dates_without_a_zone_are_taken() -> None:
    ahead = aged("ahead", -50, scores={"fused": 1.0})
    naive = passage("naive", [1, 0], scores={"fused": 1.0}, created_at=datetime(2026, 6, 1))  # noqa: DTZ001
    ranked = recency().compress_documents([naive, ahead], "q")
    assert [score_of(d, "recency") for d in ranked] == [1.0, 1.0]


def test_scores_of_two_stages_are_never_mixed() -> None:
    """A reranker that gives logits to the first two only: they stay above the rest, whose fused scores are larger numbers."""
    documents = [
        passage("a", scores={"rerank": -2.0, "fused": 5.0}),
        passage("b", scores={"rerank": -4.0, "fused": 9.0}),
        passage("c", scores={"fused": 8.0}),
        passage("d", scores={"fused": 4.0}),
    ]
    assert last_scores(documents).tolist() == [1.0, 0.0, 0.0, -1.0]


def test_passages_of_several_bases_are_compared_by_what_compares_the_bases() -> None:
    documents = [passage("a", scores={"fused": 1.0, "bases": 0.4}), passage("b", scores={"fused": 9.0, "bases": 0.2})]
    assert last_scores(documents).tolist() == [1.0, 0.0]


def test_without_scores_the_rank_counts() -> None:
    assert last_scores([Document("x") for _ in range(3)]) == pytest.approx(np.array([1, (1 / 2 - 1 / 3) / (2 / 3), 0]))
    assert len(last_scores([])) == 0
