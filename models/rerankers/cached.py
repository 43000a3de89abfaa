"""Scores kept on disk by reranker, question and text, so that moving a slider behind the reranking calls no model again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.cache import VectorCache
from models.rerankers.base import Reranker


class CachedReranker(Reranker):
    """Another reranker, whose scores are kept as vectors of one number; only texts that have none are sent."""

    def __init__(self, inner: Reranker, cache: VectorCache) -> None:
        self.name = inner.name
        self._inner, self._cache = inner, cache

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text. Raises ModelError."""
        name = f"{self.name}\0{query}"
        known = self._cache.get_many(name, texts, dimension=1)
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            # Rounded as the cache will give them back, so that the same question is ordered the same the second time.
            rounded = np.asarray(self._inner.scores(query, missing), dtype=np.float32).tolist()
            fresh = {text: [score] for text, score in zip(missing, rounded, strict=True)}
            self._cache.set_many(name, fresh)
            known |= fresh
        return [known[text][0] for text in texts]
