"""All layers that need no model, in the order of the pipeline, any of them on or off: what holds for each combination."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import BaseDocumentCompressor, Document

from language import sentences
from retrievers.budget import TokenBudget
from retrievers.compression import EmbeddingsFilter, RelevanceThreshold, TopK
from retrievers.ledger import Ledger, mark, recording
from retrievers.mmr import Mmr
from retrievers.order import LongContextOrder
from retrievers.parent import Parent
from retrievers.recency import Recency
from retrievers.redundancy import Redundancy
from retrievers.window import Window
from tests.retrievers.passages import ChunkSpan, names, part

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TEXT = (
    " ".join(f"Line {i} tells of the harbour." for i in range(30)) + "\n\n" + "".join(f"第{i}句讲港口的事。" for i in range(30))
)
LINES = sentences(TEXT)
CHUNKS = [ChunkSpan(LINES[i].start, LINES[i + 2].end, None) for i in range(0, 60, 3)]
LAYERS = (
    "embeddings_filter",
    "redundancy",
    "recency",
    "mmr",
    "threshold",
    "parent",
    "window",
    "long_context_order",
    "token_budget",
)


def pipeline(on: frozenset[str], k: int) -> list[BaseDocumentCompressor]:
    """The layers that are on, in the order of the pipeline. A parent under a window grows them all, as a window may take any."""
    source: dict[str, Any] = {"text_of": lambda doc_id: None if doc_id == "gone" else TEXT}
    layers = {
        "embeddings_filter": EmbeddingsFilter(threshold=0.2),
        "redundancy": Redundancy(threshold=0.97),
        "recency": Recency(half_life_days=30, weight=0.3, now=lambda: NOW),
        "mmr": Mmr(relevance_weight=0.5, depth=6),
        "threshold": RelevanceThreshold(threshold=0.3),
        "parent": Parent(**source, chunks_of=lambda _: CHUNKS, k=None if "window" in on else k, max_size=250),
        "window": Window(**source, k=k, sentences=1),
        "top_k": TopK(k=k),
        "long_context_order": LongContextOrder(),
        "token_budget": TokenBudget(tokens=60),
    }
    return [layer for name, layer in layers.items() if name == "top_k" or name in on]


def run(layers: Sequence[BaseDocumentCompressor], documents: Sequence[Document]) -> tuple[list[Document], Ledger]:
    with recording() as book:
        for layer in layers:
            documents = layer.compress_documents(documents, "harbour")
    return list(documents), book


def told(documents: Sequence[Document]) -> list[tuple[Any, ...]]:
    return [(d.id, d.page_content, d.metadata.get("segments"), d.metadata.get("segment_cosines")) for d in documents]


@st.composite
def candidates(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What candidates are made of (layers write into their metadata): passages of three documents, some bare or foreign."""
    places = st.tuples(st.sampled_from(["doc", "second", "gone"]), st.sampled_from(range(0, 58, 2)))
    found = draw(st.lists(places, unique=True, max_size=20))
    kinds = st.sampled_from(["whole", "whole", "whole", "bare", "undated", "foreign"])
    ages, relevances = st.integers(0, 400), st.sampled_from([0.1, 0.25, 0.5, 0.9])
    return [{"doc": d, "line": i, "kind": draw(kinds), "age": draw(ages), "relevance": draw(relevances)} for d, i in found]


def made(recipes: Sequence[dict[str, Any]]) -> list[Document]:
    documents: list[Document] = []
    for recipe in recipes:
        start, end = LINES[recipe["line"]].start, LINES[recipe["line"] + 1].end
        whole = part(TEXT, start, end, doc=recipe["doc"], relevance=recipe["relevance"])
        if recipe["kind"] not in ("undated", "foreign"):
            whole.metadata["created_at"] = NOW - timedelta(days=recipe["age"])
        if recipe["kind"] == "bare":
            whole = whole.with_segment_vectors(None)
        foreign = Document(id=whole.id, page_content=whole.page_content, metadata={"scores": {}})
        documents.append(foreign if recipe["kind"] == "foreign" else whole)
    mark(documents, "fused", [float(len(documents) - i) for i in range(len(documents))])
    return documents


ON = st.frozensets(st.sampled_from(LAYERS))


@settings(deadline=None)
@given(candidates(), ON, st.sampled_from([1, 3, 8]))
def test_every_candidate_is_accounted_for(recipes: list[dict[str, Any]], on: frozenset[str], k: int) -> None:
    documents, book = run(pipeline(on, k), made(recipes))
    assert {stage.name for stage in book.stages} == on | {"top_k"}
    counts = [len(recipes), *(stage.out for stage in book.stages)]
    assert [stage.taken_in for stage in book.stages] == counts[:-1]
    assert counts[-1] == len(documents)
    for stage in book.stages:
        assert stage.dropped == sum(drop.stage == stage.name for drop in book.drops)
        assert stage.merged == 0 or stage.name in ("parent", "window")
    went = [drop.chunk_id for drop in book.drops] + names(documents)
    assert len(set(went)) == len(went) == len(recipes) - sum(stage.merged for stage in book.stages)
    assert set(went) <= set(names(made(recipes)))


@settings(deadline=None)
@given(candidates(), ON)
def test_a_larger_top_k_does_not_change_the_first_passages(recipes: list[dict[str, Any]], on: frozenset[str]) -> None:
    on -= {"long_context_order"}
    few, many = (run(pipeline(on, k), made(recipes))[0] for k in (3, 8))
    assert told(few)[:3] == told(many)[:3]


@settings(max_examples=60, deadline=None)
@given(candidates(), ON)
def test_only_layers_that_rank_change_the_order(recipes: list[dict[str, Any]], on: frozenset[str]) -> None:
    on -= {"long_context_order", "recency", "mmr"}
    before, after = names(made(recipes)), names(run(pipeline(on, 8), made(recipes))[0])
    places = [before.index(name) for name in after]
    assert all(a < b for a, b in pairwise(places))


@settings(max_examples=60, deadline=None)
@given(candidates(), ON)
def test_reading_order_does_not_change_what_is_read(recipes: list[dict[str, Any]], on: frozenset[str]) -> None:
    plain, ordered = (
        run(pipeline(which, 8), made(recipes))[0] for which in (on - {"long_context_order"}, on | {"long_context_order"})
    )
    assert sorted(told(plain)) == sorted(told(ordered))
    ranked = sorted(ordered, key=lambda document: document.metadata["relevance_rank"])
    assert names(ranked) == names(plain)
