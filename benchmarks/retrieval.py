"""Retrieval speed and memory on a synthetic collection, ours beside rank_bm25 and the stock ensemble over the same vectors.

Each side runs in a process of its own, as after a restart, and asks the same questions, each once; their vectors are given, so an
embedder's time comes on top for both. Both collect garbage as rarely as the page does. The sides take turns, since a machine is
not equally fast all the time. Times are medians over all turns in milliseconds; read them as ratios, since machines differ.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._synthetic import DIMENSION, Collection, Prepared

DEPTH = 100
SLIDER = ({"retrieval.vector_weight": 0.4}, {"retrieval.top_k": 5}, {"retrieval.fusion": "min_max"})
Figures = dict[str, float]


def main() -> None:
    """Build both collections if they are not there, run each side, and print the figures and ratios."""
    call = _options()
    collection = Collection(call.chunks, call.queries)
    if call.side:
        sys.stdout.write(json.dumps(_SIDES[call.side](collection, call.store)) + "\n")
        return
    build(collection, call.store)
    turns = [{side: _in_process(call, side) for side in _SIDES} for _ in range(call.turns)]
    figures = {side: {name: float(np.median([turn[side][name] for turn in turns])) for name in turns[0][side]} for side in _SIDES}
    for side, values in figures.items():
        print(f"{side}: " + "  ".join(f"{name} {value:g}" for name, value in values.items()))
    ours, stock = figures["ours"], figures["stock"]
    print(f"lexical leg {stock['lexical_ms'] / ours['lexical_ms']:.0f} times as fast as rank_bm25")
    print(f"hybrid {stock['hybrid_ms'] / ours['hybrid_ms']:.0f} times as fast as the stock ensemble")
    if call.json:
        call.json.write_text(json.dumps({"chunks": call.chunks, **figures}, indent=2), encoding="utf-8")


def build(collection: Collection, folder: Path) -> None:
    """The collection as a base of ours, with its indexes, and as a table of LangChain's LanceDB store."""
    import lancedb

    from store.chunks import ChunkStore

    store = ChunkStore(Prepared(collection.questions), folder=folder / "ours", dimension=DIMENSION)
    if store.count() == collection.size:
        return
    stock = lancedb.connect(str(folder / "stock"))
    stock.drop_all_tables()
    for number, batch in enumerate(collection.chunks()):
        store.upsert(batch)
        rows = [{"id": c.id, "text": c.text, "vector": c.vector, "metadata": {"source": c.source}} for c in batch]
        if number:
            stock.open_table("vectors").add(rows)
        else:
            stock.create_table("vectors", data=rows)
    begin = time.perf_counter()
    store.optimize()
    print(f"indexes built in {time.perf_counter() - begin:.0f} s")


def ours(collection: Collection, folder: Path) -> Figures:
    """The default retriever at depth 100, its lexical leg, and a moved slider."""
    begin = time.perf_counter()
    from retrievers.layers import Helpers, Searched, Texts, build_choice, build_ensemble, build_recall
    from retrievers.ledger import recording
    from retrievers.lexical import LexicalRetriever
    from retrievers.query_vectors import QueryVectors
    from settings import load_settings
    from settings.process import collect_rarely, few_heaps
    from store.chunks import ChunkStore
    from store.filters import EVERYTHING

    imports = time.perf_counter() - begin
    collect_rarely()
    few_heaps()
    questions = list(collection.questions)
    settings = load_settings({"retrieval.depth": DEPTH}, env={})
    nothing = Texts(lambda _: None, *[lambda _: []] * 4)
    begin = time.perf_counter()
    prepared = Prepared(collection.questions)
    searched = Searched.of(ChunkStore(prepared, folder=folder / "ours", dimension=DIMENSION), QueryVectors(prepared))

    fresh = Searched.of(searched.store, QueryVectors(prepared))  # has no hits in mind

    def ask(question: str, **changes: Any) -> None:
        chosen = settings.override(changes)
        recall = build_recall(searched, chosen, Helpers(), EVERYTHING, embedder=prepared.model)
        with recording():
            build_choice(recall, chosen, Helpers(), nothing, searched).invoke(question)

    ask(questions[0])
    first = time.perf_counter() - begin
    hybrid = _median(ask, questions[1:])
    moves = [(question, change) for question in questions[-5:] for change in SLIDER]
    moved = _median(lambda move: ask(move[0], **move[1]), moves)
    leg = next(one for one in build_ensemble(fresh, settings, EVERYTHING).retrievers if isinstance(one, LexicalRetriever))
    lexical = _median(leg.invoke, questions[1:])
    figures = {"hybrid_ms": hybrid, "lexical_ms": lexical, "slider_ms": moved, "first_query_s": first, "imports_s": imports}
    return _rounded(figures)


def stock(collection: Collection, folder: Path) -> Figures:
    """BM25Retriever and LangChain's LanceDB store under EnsembleRetriever, at the same depth."""
    warnings.simplefilter("ignore")
    begin = time.perf_counter()
    import lancedb
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_community.vectorstores import LanceDB

    from settings.process import collect_rarely, few_heaps

    imports = time.perf_counter() - begin
    collect_rarely()
    few_heaps()
    questions = list(collection.questions)
    begin = time.perf_counter()
    lexical = BM25Retriever.from_texts(list(collection.texts()), k=DEPTH)
    vectors = LanceDB(
        connection=lancedb.connect(str(folder / "stock")), embedding=Prepared(collection.questions), table_name="vectors"
    )
    ensemble = EnsembleRetriever(retrievers=[lexical, vectors.as_retriever(search_kwargs={"k": DEPTH})], weights=[0.5, 0.5])
    ensemble.invoke(questions[0])
    first = time.perf_counter() - begin
    figures = {
        "hybrid_ms": _median(ensemble.invoke, questions[1:]),
        "lexical_ms": _median(lexical.invoke, questions[1:]),
        "first_query_s": first,
        "imports_s": imports,
    }
    return _rounded(figures)


_SIDES: dict[str, Callable[[Collection, Path], Figures]] = {"ours": ours, "stock": stock}


def _median(act: Callable[[Any], object], values: Iterable[Any]) -> float:
    took = []
    for value in values:
        begin = time.perf_counter()
        act(value)
        took.append((time.perf_counter() - begin) * 1000)
    return float(np.median(took))


def _rounded(figures: Figures) -> Figures:
    return {name: round(value, 2) for name, value in figures.items()} | {"memory_mb": round(_peak_memory() / 2**20)}


def _peak_memory() -> int:
    """Bytes. Not getrusage: a process that was started by another one inherits its peak there."""
    fields = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in fields if line.startswith("VmHWM"))


def _in_process(call: argparse.Namespace, side: str) -> Figures:
    command = [sys.executable, "-m", "benchmarks.retrieval", "--side", side, "--chunks", str(call.chunks)]
    done = subprocess.run(
        [*command, "--queries", str(call.queries), "--store", str(call.store)], stdout=subprocess.PIPE, text=True, check=True
    )
    figures: Figures = json.loads(done.stdout)
    return figures


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    options.add_argument("--chunks", type=int, default=100_000, metavar="N", help="size of the collection")
    options.add_argument("--queries", type=int, default=40, metavar="N", help="how many questions are asked")
    options.add_argument("--store", type=Path, default=Path("data/benchmarks/synthetic"), metavar="DIR", help="where it is kept")
    options.add_argument("--turns", type=int, default=3, metavar="N", help="how often each side runs")
    options.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")
    options.add_argument("--side", choices=list(_SIDES), help=argparse.SUPPRESS)
    return options.parse_args()


if __name__ == "__main__":
    main()
