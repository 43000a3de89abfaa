"""Redundancy: of what says the same the best stays, and the ledger and the passages say what repeats what."""

import numpy as np
import pytest
from langchain_core.documents import Document

from retrievers.ledger import recording
from retrievers.passage_vectors import mean_vectors
from retrievers.redundancy import Redundancy
from tests.retrievers.passages import names, passage


def test_the_vector_of_a_passage_weighs_its_segments_by_length() -> None:
    document = passage("a", [1, 0], [0, 1], text="x" * 40, segments=[(0, 30), (30, 40)])
    vectors, known = mean_vectors([document, Document("foreign")])
    assert vectors[0] == pytest.approx(np.array([3, 1]) / np.sqrt(10))
    assert (vectors[1].tolist(), known.tolist()) == ([0.0, 0.0], [True, False])


def test_what_repeats_a_better_passage_is_dropped_with_the_name_of_that_one() -> None:
    documents = [passage("a", [1, 0]), passage("b", [0, 1]), passage("a2", [1, 0.01]), passage("a3", [1, 0.02])]
    with recording() as book:
        kept = Redundancy(threshold=0.99).compress_documents(documents, "q")
    assert names(kept) == ["a", "b"]
    assert [(drop.chunk_id, drop.stage, drop.reason) for drop in book.drops] == [
        ("a2", "redundancy", "repeats_another"),
        ("a3", "redundancy", "repeats_another"),
    ]
    assert [document.metadata.get("repeats") for document in documents] == [None, None, "a", "a"]
    assert [document.metadata.get("repeated_by") for document in kept] == [["a2", "a3"], None]


def test_only_what_is_kept_can_be_repeated() -> None:
    """Each is like the one before, but the third is not like the first: it stays, as nothing that is kept says the same."""
    turned = [passage(name, [np.cos(angle), np.sin(angle)]) for name, angle in (("a", 0.0), ("b", 0.3), ("c", 0.6))]
    assert names(Redundancy(threshold=float(np.cos(0.4))).compress_documents(turned, "q")) == ["a", "c"]


def test_a_threshold_of_one_still_drops_the_same_vector() -> None:
    same = [passage(name, [0.3, 0.5, 0.7], [0.1, 0.2, 0.3]) for name in "ab"]
    assert names(Redundancy(threshold=1).compress_documents([*same, passage("c", [0.3, 0.5, 0.6])], "q")) == ["a", "c"]


def test_passages_without_vectors_stay_even_with_the_same_text() -> None:
    foreign = [Document(id=name, page_content="the same") for name in "ab"]
    assert names(Redundancy(threshold=0).compress_documents([*foreign, passage("c", [1, 0])], "q")) == ["a", "b", "c"]
    assert Redundancy().compress_documents([], "q") == []
