"""What is dropped by relevance and by rank, and what the ledger says of it."""

import pytest
from langchain_core.documents import Document

from retrievers.compression import EmbeddingsFilter, RelevanceThreshold, TopK
from retrievers.ledger import recording
from tests.retrievers.passages import names, passage

NEAR, FAR = passage("near", [1, 0], relevance=0.6), passage("far", [1, 0], relevance=0.1)


def test_the_embeddings_filter_drops_what_is_below_and_keeps_what_reaches_the_threshold() -> None:
    line = passage("line", [1, 0], relevance=0.2)
    with recording() as book:
        assert names(EmbeddingsFilter(threshold=0.2).compress_documents([FAR, line, NEAR], "q")) == ["line", "near"]
    assert [(drop.chunk_id, drop.stage, drop.reason) for drop in book.drops] == [("far", "embeddings_filter", "below_relevance")]
    assert [(s.name, s.taken_in, s.out) for s in book.stages] == [("embeddings_filter", 3, 2)]


def test_the_embeddings_filter_judges_only_what_has_vectors() -> None:
    foreign = Document(id="foreign", page_content="from elsewhere", metadata={"relevance": 0.0})
    assert names(EmbeddingsFilter(threshold=1).compress_documents([foreign, passage("bare", relevance=0.0), FAR], "q")) == [
        "foreign",
        "bare",
    ]


@pytest.mark.parametrize("layer", [EmbeddingsFilter(threshold=0.5), RelevanceThreshold(threshold=0.5)])
def test_nothing_is_dropped_when_the_embedder_failed_or_gave_no_relevance(layer: EmbeddingsFilter | RelevanceThreshold) -> None:
    by_words, unknown = passage("words", [1, 0], relevance=0.0, relevance_from="words"), passage("unknown", [1, 0])
    assert names(layer.compress_documents([by_words, unknown, FAR], "q")) == ["words", "unknown"]


def test_the_threshold_never_looks_at_a_fused_score_and_says_whose_relevance_it_was() -> None:
    reranked = passage("reranked", [1, 0], relevance=0.2, relevance_from="rerank", scores={"fused": 9.0})
    fused = passage("fused", [1, 0], relevance=0.9, scores={"fused": 0.0})
    with recording() as book:
        assert names(RelevanceThreshold(threshold=0.5).compress_documents([reranked, FAR, fused], "q")) == ["fused"]
    assert {drop.chunk_id: drop.reason for drop in book.drops} == {
        "far": "below_threshold",
        "reranked": "below_threshold_rerank",
    }


def test_top_k_keeps_the_first() -> None:
    with recording() as book:
        assert names(TopK(k=1).compress_documents([FAR, NEAR], "q")) == ["far"]
    assert [(drop.chunk_id, drop.reason) for drop in book.drops] == [("near", "below_top_k")]
