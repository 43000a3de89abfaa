"""A folder in BEIR's form (corpus.jsonl, queries.jsonl, qrels.tsv) and its way into a base, through the real pipeline."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ingest.pipeline import Pipeline
from models import get_embeddings
from settings import Settings, load_settings
from store.library import Base
from store.stores import Stores, open_stores


@dataclass(frozen=True)
class Corpus:
    """A retrieval set: `documents` and `queries` as they are in the files, `qrels` from query to document to grade."""

    name: str
    documents: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    qrels: dict[str, dict[str, int]]


def parser(name: str, purpose: str | None) -> argparse.ArgumentParser:
    """The options that benchmarks on sets have in common."""
    options = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=purpose)
    options.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder with the sets")
    options.add_argument("--queries", type=int, metavar="N", help="only N queries a set, evenly spaced (default: all)")
    options.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")
    options.add_argument("--store", type=Path, default=Path("data/benchmarks"), metavar="DIR", help="where the bases are kept")
    options.add_argument("--cache", type=Path, metavar="DIR", help="where the vectors are kept (default: in --store)")
    options.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override a setting")
    return options


def opened(call: argparse.Namespace) -> tuple[Settings, Stores]:
    """The settings and stores that the options ask for; the environment is left aside, so that figures can be compared."""
    settings = load_settings([*call.set, f"store.dir={call.store}"], env={})
    return settings, open_stores(settings, get_embeddings(settings, cache=call.cache or call.store / "cache" / "embeddings"))


def read(folder: Path, *, queries: int | None = None) -> Corpus:
    """The set in a folder; with `queries`, that many of its judged queries, evenly spaced."""
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels.setdefault(query, {})[document] = int(float(grade))
    judged = [query for query in _lines(folder / "queries.jsonl") if query["_id"] in qrels]
    if queries is not None and queries < len(judged):
        judged = [judged[i] for i in np.linspace(0, len(judged) - 1, queries).astype(int)]
    return Corpus(folder.name, list(_lines(folder / "corpus.jsonl")), judged, qrels)


def index(corpus: Corpus, stores: Stores, settings: Settings) -> Base:
    """A base with the set's documents, each added as a file: Markdown with its title as a heading, or plain text without one.

    What is there already is left alone, so an interrupted run goes on.
    """
    base, pipeline = stores.library.ensure_base(corpus.name), Pipeline(stores)
    there = {document.source for document in stores.library.documents(base, statuses=["ready", "empty"])}
    new = False
    for number, document in enumerate(corpus.documents):
        name, text = as_file(document)
        if name not in there:
            pipeline.run(base, name, text.encode(), settings)
            new = True
        if new and number % 500 == 499:
            print(f"  {corpus.name}: {number + 1} of {len(corpus.documents)} documents", flush=True)
    if new:
        pipeline.finish(base)
    return stores.library.base(corpus.name)


def as_file(document: dict[str, Any]) -> tuple[str, str]:
    """The name and text of a document as a file."""
    title = document.get("title")
    return (
        (f"{document['_id']}.md", f"# {title}\n\n{document['text']}") if title else (f"{document['_id']}.txt", document["text"])
    )


def document_of(source: str) -> str:
    """The document's id in the set, from its file's name."""
    return source.rpartition(".")[0]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)
