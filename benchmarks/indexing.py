"""Indexing speed: seconds to index a text over seconds to embed its segments once, ours beside stock LangChain, in one run.

The ratio is what matters, since embedding is where the time goes and machines differ: 1.0 would be embedding alone. Stock is
langchain_experimental's SemanticChunker and langchain_community's LanceDB store, both as they come, with the same embedder.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from ingest.build import embed_texts
from ingest.chunkers import get_chunker
from ingest.document import join
from ingest.loaders import get_loader
from ingest.pipeline import Pipeline
from models.embeddings import LocalEmbeddings
from settings import load_settings
from settings.ingest import ChunkerName, IngestSettings
from store.database import connect
from store.library import Library
from store.stores import Stores


def main() -> None:
    """Time the two and the plain call, and print seconds and ratios."""
    call = _parser().parse_args()
    suffix = call.text.suffix if call.text else ".md"
    text = (call.text.read_text(encoding="utf-8") if call.text else synthetic(call.kb * 1024))[: call.kb * 1024]
    embeddings = LocalEmbeddings()
    embeddings.embed_query("warm up")
    if call.chunkers is not None:
        _each(call.chunkers or get_args(ChunkerName), text, suffix, embeddings)
    else:
        _beside_stock(text, suffix, embeddings, ours_only=call.ours_only)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _beside_stock(text: str, suffix: str, embeddings: LocalEmbeddings, *, ours_only: bool) -> None:
    segments = _segments(text, suffix, "auto")
    plain = _seconds(lambda: embeddings.embed_documents(segments))
    ours = _seconds(lambda: index_with_glassbox(text, embeddings, suffix=suffix))
    again = _seconds(lambda: embeddings.embed_documents(segments))
    base = (plain + again) / 2
    print(f"{len(text)} characters, {len(segments)} segments")
    print(f"one plain call of the embedder   {plain:8.1f} s, again {again:.1f} s")
    print(f"Glassbox                         {ours:8.1f} s   ratio {ours / base:.2f}")
    if not ours_only:
        stock = _seconds(lambda: index_with_langchain(text, embeddings))
        print(f"stock LangChain                  {stock:8.1f} s   ratio {stock / base:.2f}")


def _each(chunkers: Sequence[str], text: str, suffix: str, embeddings: LocalEmbeddings) -> None:
    """Every chunker between two plain calls for its own segments, since the machine's speed changes meanwhile."""
    for chunker in chunkers:
        embed = partial(embeddings.embed_documents, _segments(text, suffix, chunker))
        before = _seconds(embed)
        ours = _seconds(partial(index_with_glassbox, text, embeddings, suffix=suffix, chunker=chunker))
        plain = (before + _seconds(embed)) / 2
        print(f"{chunker:20} plain {plain:6.1f} s, indexed {ours:6.1f} s   ratio {ours / plain:.2f}", flush=True)


def index_with_glassbox(text: str, embeddings: LocalEmbeddings, *, suffix: str = ".md", chunker: str = "auto") -> None:
    """The whole pipeline into a new base, without a cache of vectors."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"store.dir": folder, "ingest.chunker": chunker}, env={})
        library = Library(connect(Path(folder)), folder=Path(folder))
        base, pipeline = library.ensure_base("speed"), Pipeline(Stores(library, embeddings, settings))
        report = pipeline.run(base, f"text{suffix}", text.encode(), settings)
        pipeline.finish(base)
        assert report.status == "indexed", report.reason


def index_with_langchain(text: str, embeddings: LocalEmbeddings) -> None:
    """What the LangChain documentation shows."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        from langchain_community.vectorstores import LanceDB
        from langchain_experimental.text_splitter import SemanticChunker

        chunks = SemanticChunker(embeddings).create_documents([text])
        LanceDB.from_documents([chunk for chunk in chunks if chunk.page_content], embeddings, uri=folder)


def synthetic(size: int) -> str:
    """English-like text of `size` characters: paragraphs of sentences of common words, the same each time."""
    chance = random.Random(0)
    words = (
        "the river of a town and people in time water was old stone house road north market to which had been by light".split()
    )
    text = ""
    while len(text) < size:
        sentences = [
            " ".join(chance.choices(words, k=chance.randint(6, 22))).capitalize() + "." for _ in range(chance.randint(3, 9))
        ]
        text += " ".join(sentences) + "\n\n"
    return text[:size]


def _segments(text: str, suffix: str, chunker_name: str) -> list[str]:
    settings = load_settings({"ingest.chunker": chunker_name}, env={})
    name = f"text{suffix}"
    document = join(name, get_loader(name, text.encode(), IngestSettings()).lazy_load())
    chunker = get_chunker(settings, LocalEmbeddings(), document=document)
    return embed_texts(document, chunker.segments(document.text, markdown=document.markdown))


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexing", description=__doc__)
    parser.add_argument("--text", type=Path, metavar="FILE", help="English text to index (default: synthetic)")
    parser.add_argument("--kb", type=int, default=300, help="how much of it, in KB (default: 300)")
    parser.add_argument("--ours-only", action="store_true", help="leave stock LangChain out, which takes four times as long")
    parser.add_argument(
        "--chunkers", nargs="*", choices=get_args(ChunkerName), help="time each of these (none named: all) instead, without stock"
    )
    return parser


if __name__ == "__main__":
    main()
