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
from collections.abc import Callable
from pathlib import Path

from ingest.build import embed_texts
from ingest.chunkers import get_chunker
from ingest.document import join
from ingest.loaders import get_loader
from ingest.pipeline import Pipeline
from models.embeddings import LocalEmbeddings
from settings import load_settings
from settings.ingest import IngestSettings
from store.database import connect
from store.library import Library
from store.stores import Stores


def main() -> None:
    """Time the two and the plain call, and print seconds and ratios."""
    call = _parser().parse_args()
    text = (call.text.read_text(encoding="utf-8") if call.text else synthetic(call.kb * 1024))[: call.kb * 1024]
    embeddings = LocalEmbeddings()
    embeddings.embed_query("warm up")
    segments = _segments(text)
    plain = _seconds(lambda: embeddings.embed_documents(segments))
    ours = _seconds(lambda: index_with_glassbox(text, embeddings))
    again = _seconds(lambda: embeddings.embed_documents(segments))
    base = (plain + again) / 2
    print(f"{len(text)} characters, {len(segments)} segments")
    print(f"one plain call of the embedder   {plain:8.1f} s, again {again:.1f} s")
    print(f"Glassbox                         {ours:8.1f} s   ratio {ours / base:.2f}")
    if not call.ours_only:
        stock = _seconds(lambda: index_with_langchain(text, embeddings))
        print(f"stock LangChain                  {stock:8.1f} s   ratio {stock / base:.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def index_with_glassbox(text: str, embeddings: LocalEmbeddings) -> None:
    """The whole pipeline into a new base, without a cache of vectors."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"store.dir": folder}, env={})
        library = Library(connect(Path(folder)), folder=Path(folder))
        base, pipeline = library.ensure_base("speed"), Pipeline(Stores(library, embeddings, settings))
        report = pipeline.run(base, "text.md", text.encode(), settings)
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


def _segments(text: str) -> list[str]:
    settings = load_settings(env={})
    document = join("text.md", get_loader("text.md", text.encode(), IngestSettings()).lazy_load())
    chunker = get_chunker(settings, LocalEmbeddings())
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
    return parser


if __name__ == "__main__":
    main()
