"""The vectors of questions, kept in memory, so that moving a slider embeds nothing."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from langchain_core.embeddings import Embeddings

from store.schema import FloatArray

REMEMBERED = 512


class QueryVectors:
    """Unit vectors of the last 512 questions of one embedder."""

    def __init__(self, embeddings: Embeddings) -> None:
        self.of = lru_cache(maxsize=REMEMBERED)(self._embed)
        self._embeddings = embeddings
        self.model = str(getattr(embeddings, "model", ""))

    def _embed(self, query: str) -> FloatArray:
        vector = np.asarray(self._embeddings.embed_query(query), dtype=np.float32)
        unit: FloatArray = vector / np.linalg.norm(vector)
        unit.setflags(write=False)
        return unit
