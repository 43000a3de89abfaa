"""How rare a term is in a base: document frequencies over its chunks (over a sample, when it is large)."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable

from language import terms
from store.chunks import ChunkStore

SAMPLE = 1000
"""Chunks that are counted: a third of a second of work after a change, and enough to tell a rare term from a common one."""


class TermStatistics:
    """Document frequencies of a base, counted anew when the base has changed."""

    def __init__(self, store: ChunkStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._revision = -1
        self._counts: Counter[str] = Counter()
        self._total = 0

    def idf(self, wanted: Iterable[str]) -> dict[str, float]:
        """ln(1 + (N - n + 0.5) / (n + 0.5)) for each term, as in BM25 (Robertson and Zaragoza, 2009, eq. 3.3, kept positive)."""
        with self._lock:
            self._refresh()
            return {term: math.log(1 + (self._total - self._counts[term] + 0.5) / (self._counts[term] + 0.5)) for term in wanted}

    def _refresh(self) -> None:
        revision = self._store.revision
        if revision == self._revision:
            return
        texts = self._store.sample_texts(SAMPLE)
        self._counts = Counter(term for text in texts for term in set(terms(text)))
        self._total, self._revision = len(texts), revision
