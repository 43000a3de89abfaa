"""A stand-in embedder: a text's vector is drawn from its hash, so that everything but embedding is measured."""

from __future__ import annotations

import hashlib

import numpy as np

from models.base import GlassboxEmbeddings


class HashedEmbeddings(GlassboxEmbeddings):
    """Unit vectors, the same for the same text."""

    provider, model = "benchmark", "hashed"

    def __init__(self, dimension: int = 384) -> None:
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The text's vector."""
        seed = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
        vector = np.random.default_rng(seed).standard_normal(self._dimension, dtype=np.float32)
        unit: list[float] = (vector / np.linalg.norm(vector)).tolist()
        return unit
