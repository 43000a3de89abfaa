"""Retrieval quality on BEIR folders: nDCG@10, recall@10 and MRR@10 of the lexical leg, the vector leg and the default hybrid.

Each document goes through the real pipeline. Vectors are cached by content and bases are kept in --store, so an interrupted run
goes on where it was. A document's score is that of its best chunk, of 50 chunks fetched.
"""

from __future__ import annotations

import json
import time

import ir_measures
from ir_measures import RR, R, ScoredDoc, nDCG

from benchmarks._beir import Corpus, document_of, index, opened, parser, read
from retrievers import Retriever
from settings import Settings
from store.library import Base

SYSTEMS = {"bm25": {"retrieval.vector_weight": 0.0}, "vector": {"retrieval.vector_weight": 1.0}, "hybrid": {}}
MEASURES = {"ndcg@10": nDCG @ 10, "recall@10": R @ 10, "mrr@10": RR @ 10}
CHUNKS_FETCHED = 50


def main() -> None:
    """Run the sets that were asked for and print a table."""
    options = parser("quality", __doc__)
    options.add_argument("--sets", required=True, metavar="A,B", help="names of sets, with commas")
    call = options.parse_args()
    settings, stores = opened(call)
    retriever, results = Retriever(stores), {}
    for name in call.sets.split(","):
        corpus = read(call.data / name, queries=call.queries)
        base = index(corpus, stores, settings)
        results[name] = {
            system: measure(retriever, base, corpus, settings.override(changes)) for system, changes in SYSTEMS.items()
        }
        _show(name, corpus, results[name])
        if call.json:
            call.json.write_text(json.dumps({"sets": results}, indent=2), encoding="utf-8")


def measure(retriever: Retriever, base: Base, corpus: Corpus, settings: Settings) -> dict[str, float]:
    """The measures of one configuration, and milliseconds a query."""
    fetching = settings.override({"retrieval.top_k": CHUNKS_FETCHED})
    run, begin = [], time.perf_counter()
    for query in corpus.queries:
        found = retriever.retrieve(query["text"], base, fetching)
        best: dict[str, float] = {}
        for context in found.contexts:
            best.setdefault(document_of(context.source), context.scores["fused"].score)
        run += [ScoredDoc(query["_id"], document, score) for document, score in best.items()]
    took = (time.perf_counter() - begin) * 1000 / len(corpus.queries)
    judged = {query["_id"]: corpus.qrels[query["_id"]] for query in corpus.queries}
    values = ir_measures.calc_aggregate(list(MEASURES.values()), judged, run)
    return {name: round(values[measure], 4) for name, measure in MEASURES.items()} | {"ms_per_query": round(took, 1)}


def _show(name: str, corpus: Corpus, results: dict[str, dict[str, float]]) -> None:
    print(f"{name}: {len(corpus.documents)} documents, {len(corpus.queries)} queries")
    for system, values in results.items():
        print(f"  {system:8}" + "".join(f"{measure} {value:<9}" for measure, value in values.items()), flush=True)


if __name__ == "__main__":
    main()
