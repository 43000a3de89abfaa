"""Texts become vectors, which are checked before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models import ModelError
from models.base import GlassboxEmbeddings
from store.schema import FloatArray

EMBED_AT_ONCE = 64
"""Texts between two progress events."""


def embedded(embeddings: GlassboxEmbeddings, texts: Sequence[str]) -> FloatArray:
    """The vectors of the texts, (texts, dimension). Raises ModelError, for vectors that cannot be used too."""
    if not texts:
        return np.empty((0, 0), dtype=np.float32)
    batches = (list(texts[start : start + EMBED_AT_ONCE]) for start in range(0, len(texts), EMBED_AT_ONCE))
    return np.vstack([checked(embeddings.embed_documents(batch), (len(batch), embeddings.dimension)) for batch in batches])


def checked(rows: Sequence[Sequence[float]], shape: tuple[int, int]) -> FloatArray:
    """What an embedder gave as an array of this shape. Raises ModelError when it is not, or holds zeros or no numbers."""
    lengths = {len(row) for row in rows}
    if len(rows) != shape[0] or lengths != {shape[1]}:
        raise ModelError(
            f"The embedder gave {len(rows)} vectors of {sorted(lengths)} numbers for {shape[0]} texts; {shape[1]} numbers were "
            "expected. Check embeddings.model and embeddings.dimension.",
            code="wrong_vectors",
        )
    vectors = np.asarray(rows, dtype=np.float32)
    if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
        raise ModelError("The embedder gave a vector of zeros or of no numbers. Check embeddings.model.", code="wrong_vectors")
    return vectors
