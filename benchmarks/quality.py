"""Retrieval quality on BEIR folders: nDCG@10, recall@10 and MRR@10 with 95 % bootstrap intervals, beside stock LangChain.

Each document goes through the real pipeline. Vectors are cached by content and bases are kept in --store, so an interrupted run
goes on where it was. A document's score is that of its best chunk, of 50 chunks fetched. `bm25`, `vector` and `hybrid` are the
legs and the default; `--layers` adds the layers that need no model, each switched on by itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
from ir_measures import RR, R, ScoredDoc, nDCG

from benchmarks._beir import Corpus, document_of, index, opened, parser, read
from benchmarks._report import write_report
from benchmarks._stock import StockPipeline
from retrievers import Retriever
from settings import Settings
from store.library import Base
from store.schema import FloatArray

LEGS: dict[str, dict[str, Any]] = {
    "bm25": {"retrieval.vector_weight": 0.0},
    "vector": {"retrieval.vector_weight": 1.0},
    "hybrid": {},
}
_SWITCHED = (
    *("multi_query", "decomposition", "keywords", "abbreviations"),
    *("redundancy", "rerank", "mmr", "recency", "parent", "window"),
)
LAYERS: dict[str, dict[str, Any]] = {
    "min_max": {"retrieval.fusion": "min_max"},
    "rrf": {"retrieval.fusion": "rrf"},
    "segments": {"retrieval.vector.search": "segments"},
    "both": {"retrieval.vector.search": "both"},
    **{layer: {f"retrieval.{layer}.enabled": True} for layer in _SWITCHED},
}
MEASURES = {"ndcg@10": nDCG @ 10, "recall@10": R @ 10, "mrr@10": RR @ 10}
CHUNKS_FETCHED = 50
RESAMPLES = 1000

Search = Callable[[str], Mapping[str, float]]
"""Query -> document -> score."""


def main() -> None:
    """Run the sets that were asked for; print a table, and write JSON and a report where asked."""
    call = _options()
    settings, stores = opened(call)
    retriever = Retriever(stores)
    results: dict[str, dict[str, dict[str, float]]] = {}
    for name in call.sets.split(","):
        corpus = read(call.data / name, queries=call.queries)
        base = index(corpus, stores, settings)
        print(f"{name}: {len(corpus.documents)} documents, {len(corpus.queries)} queries", flush=True)
        systems = {s: _searching(retriever, base, settings.override(c)) for s, c in _systems(call.layers).items()}
        if not call.no_stock:
            systems["stock"] = _stock(corpus, stores.embeddings)
        results[name] = {}
        for system, search in systems.items():
            results[name][system] = values = measure(corpus, search)
            print(f"  {system:14}" + "".join(f"{key} {value:<9}" for key, value in values.items()), flush=True)
            _write(call.json, call.report, results)


def measure(corpus: Corpus, search: Search) -> dict[str, float]:
    """The measures of a way to search with their bootstrap intervals, and milliseconds a query."""
    run, begin = [], time.perf_counter()
    for query in corpus.queries:
        run += [ScoredDoc(query["_id"], document, score) for document, score in search(query["text"]).items()]
    took = (time.perf_counter() - begin) * 1000 / len(corpus.queries)
    judged = {query["_id"]: corpus.qrels[query["_id"]] for query in corpus.queries}
    per_query: dict[Any, list[float]] = {measure: [] for measure in MEASURES.values()}
    for one in ir_measures.iter_calc(list(MEASURES.values()), judged, run):
        per_query[one.measure].append(one.value)
    values: dict[str, float] = {}
    for name, one_measure in MEASURES.items():
        values |= _with_interval(name, np.array(per_query[one_measure], dtype=np.float32))
    return values | {"ms_per_query": round(took, 1)}


def _with_interval(name: str, values: FloatArray) -> dict[str, float]:
    """Mean and the 95 % interval of means of resampled queries (Efron, 1979; Sakai, 2006, for retrieval)."""
    draw = np.random.default_rng(0)
    means = values[draw.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {name: round(float(values.mean()), 4), f"{name}_low": round(float(low), 4), f"{name}_high": round(float(high), 4)}


def _searching(retriever: Retriever, base: Base, settings: Settings) -> Search:
    fetching = settings.override({"retrieval.top_k": CHUNKS_FETCHED})

    def search(query: str) -> dict[str, float]:
        best: dict[str, float] = {}
        for rank, context in enumerate(retriever.retrieve(query, base, fetching).contexts):
            best.setdefault(document_of(context.source), -float(rank))
        return best

    return search


def _stock(corpus: Corpus, embeddings: Any) -> Search:
    pipeline = StockPipeline(corpus, embeddings, depth=CHUNKS_FETCHED)
    return lambda query: {document_of(source): -float(rank) for rank, source in enumerate(pipeline.sources(query))}


def _systems(layers: str) -> dict[str, dict[str, Any]]:
    if layers == "all":
        return LEGS | LAYERS
    return LEGS | {name: LAYERS[name] for name in layers.split(",") if name}


def _write(json_file: Path | None, report: Path | None, results: dict[str, Any]) -> None:
    if json_file:
        json_file.write_text(json.dumps({"sets": results}, indent=2), encoding="utf-8")
    if report:
        write_report(report, results, title="Retrieval quality")


def _options() -> Any:
    options = parser("quality", __doc__)
    options.add_argument("--sets", required=True, metavar="A,B", help="names of sets, with commas")
    options.add_argument("--layers", default="", metavar="A,B", help=f"layers to measure as well: all, or of {', '.join(LAYERS)}")
    options.add_argument("--no-stock", action="store_true", help="leave stock LangChain out, which embeds everything once more")
    options.add_argument("--report", type=Path, metavar="OUT.md", help="write a report with a chart there")
    return options.parse_args()


if __name__ == "__main__":
    main()
