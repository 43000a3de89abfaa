"""A base whose vectors are made of words (tests/standin.py): indexed for real in LanceDB, in milliseconds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ingest.pipeline import Pipeline
from retrievers import Context, Retrieval, Retriever
from settings import load_settings
from store.database import connect
from store.library import Library
from store.schema import Chunk, SegmentSpan
from store.stores import Stores
from tests.retrievers.conftest import Shelf
from tests.standin import WordEmbeddings, shared_sandbox

SMALL = {
    "ingest.chunk_size": 100,
    "ingest.min_chunk_size": 1,
    "ingest.segment_size": 60,
    "ingest.breakpoint_amount": 50,
}
"""Settings for chunks of a sentence or two."""


def word_shelf(
    folder: Path, name: str = "test", *, embeddings: WordEmbeddings | None = None, settings: Mapping[str, Any] | None = None
) -> Shelf:
    """An empty base of that name in the folder, which other bases may share."""
    chosen = load_settings({"store.dir": str(folder)} | dict(settings or {}), env={})
    library = Library(connect(folder), folder=folder)
    stores = Stores(library, embeddings or WordEmbeddings(64), chosen)
    return Shelf(library.ensure_base(name), stores, Pipeline(stores, shared_sandbox()), Retriever(stores), chosen)


def chunk(key: str, text: str, *, says: Sequence[str] = (), **more: Any) -> Chunk:
    """A chunk whose segments mean `says` (or its text), whatever its words are; equal parts of the text."""
    vectors = np.array([WordEmbeddings(64).embed_query(meaning) for meaning in says or [text]], dtype=np.float32)
    mean, step = vectors.sum(axis=0), len(text) // len(vectors)
    spans = tuple(SegmentSpan(i * step, (i + 1) * step) for i in range(len(vectors)))
    known = {"doc_id": f"doc {key}", "source": f"{key}.txt", "start": 0, "end": len(text), "chunk_index": 0}
    values: dict[str, Any] = known | {"text": text, "embed_text": text, "segments": spans, "segment_vectors": vectors} | more
    return Chunk(id=key, vector=mean / np.linalg.norm(mean), **values)


def ids(found: Retrieval) -> list[str]:
    return [context.chunk_id for context in found.contexts]


def told(contexts: Sequence[Context]) -> list[tuple[str, str]]:
    return [(context.chunk_id, context.text) for context in contexts]


def codes(found: Retrieval) -> list[str]:
    return [note.code for note in found.ledger.notes]
