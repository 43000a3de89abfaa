"""Chunks as the pipeline makes them, in one line."""

from __future__ import annotations

from typing import Any

import numpy as np

from store.schema import Chunk, SegmentSpan
from tests.standin import WordEmbeddings


def make_chunk(key: str, text: str, *, dimension: int = 16, **more: Any) -> Chunk:
    """A chunk of one segment, whose vector is the stand-in embedder's."""
    vector = np.array(WordEmbeddings(dimension).embed_query(text), dtype=np.float32)
    values = {"embed_text": text, "vector": vector, "segments": (SegmentSpan(0, len(text)),), "segment_vectors": vector[None]}
    return Chunk(**{"id": key, "text": text, "start": 0, "end": len(text), **values, **more})
