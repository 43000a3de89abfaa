"""What the legs have found lately in a base, so that a moved slider runs only the stages behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING

from retrievers.query_vectors import QueryVectors
from store.chunks import ChunkStore
from store.filters import EVERYTHING, Conditions
from store.schema import Candidate

if TYPE_CHECKING:
    from lancedb.expr import Expr

REMEMBERED = 64
"""Searches that are kept, enough for a question of ten queries on two legs; of 200 candidates each takes about a megabyte."""

Scored = list[tuple[Candidate, float]]


class _Search:
    """A search that is asked for its result once, and remembers it."""

    def __init__(self, wait: Callable[[], Scored]) -> None:
        self._wait, self._lock = wait, Lock()
        self._found: Scored | None = None

    def found(self) -> Scored:
        with self._lock:
            if self._found is None:
                self._found = self._wait()
            return self._found


class Hits:
    """Searches of one base, remembered until the base changes; each call gives candidates of its own to write into."""

    def __init__(self, store: ChunkStore, vectors: QueryVectors) -> None:
        self.vectors = vectors
        self._store = store
        self._kept = lru_cache(maxsize=REMEMBERED)(self._begun)

    def tokens(self, text: str) -> list[str]:
        """What the full-text index makes of a text."""
        return self._store.tokens(text)

    def text(self, words: str, *, depth: int, conditions: Conditions = EVERYTHING) -> Scored:
        """The best chunks for these words, with BM25."""
        return self._fresh("text", words, depth, conditions)

    def begin_text(self, words: str, *, depth: int, conditions: Conditions = EVERYTHING) -> None:
        """Begin what `text` will be asked for in a moment."""
        self._kept("text", words, depth, conditions, self._store.revision)

    def begin_vector(self, query: str, *, depth: int, conditions: Conditions = EVERYTHING) -> None:
        """Begin what `vector` will be asked for in a moment."""
        self._kept("vector", query, depth, conditions, self._store.revision)

    def substrings(self, parts: Sequence[str], *, depth: int, conditions: Conditions = EVERYTHING) -> Scored:
        """Chunks whose text holds one of the parts, also inside a longer word; all with score 0."""
        return self._fresh("substrings", tuple(parts), depth, conditions)

    def vector(self, query: str, *, depth: int, conditions: Conditions = EVERYTHING) -> Scored:
        """The chunks whose mean vectors are nearest to the query's, with the cosine."""
        return self._fresh("vector", query, depth, conditions)

    def segments(self, query: str, *, depth: int, conditions: Conditions = EVERYTHING) -> Scored:
        """The chunks with the nearest segments."""
        return self._fresh("segments", query, depth, conditions)

    def written(self, query: str, *, depth: int, kinds: tuple[str, ...], conditions: Conditions = EVERYTHING) -> Scored:
        """The chunks for which the nearest texts of these kinds (questions, summaries) were written, best of each chunk."""
        return self._fresh("written", (query, kinds), depth, conditions)

    def _fresh(self, kind: str, wanted: str | tuple[object, ...], depth: int, conditions: Conditions) -> Scored:
        search = self._kept(kind, wanted, depth, conditions, self._store.revision)
        try:
            return [(candidate.renewed(), score) for candidate, score in search.found()]
        except BaseException:
            self._kept.cache_clear()  # what failed is asked for again next time
            raise

    def _begun(self, kind: str, wanted: str | tuple[object, ...], depth: int, conditions: Conditions, revision: int) -> _Search:
        """`revision` is there to be a part of the key."""
        if kind == "text":
            return _Search(self._store.begin_text(str(wanted), depth=depth, where=self._where(conditions)))
        if kind == "vector":  # roughly, since MaxSim scores them
            vector = self.vectors.of(str(wanted))
            return _Search(self._store.begin_vector(vector, depth=depth, where=self._where(conditions), exact=False))
        search: Callable[..., Scored] = getattr(self, f"_{kind}")
        return _Search(partial(search, wanted, depth, conditions))

    def _substrings(self, parts: tuple[str, ...], depth: int, conditions: Conditions) -> Scored:
        return [(found, 0.0) for found in self._store.search_substrings(parts, depth=depth, where=self._where(conditions))]

    def _segments(self, query: str, depth: int, conditions: Conditions) -> Scored:
        return self._store.search_segments(self.vectors.of(query), depth=depth, where=self._where(conditions))

    def _written(self, wanted: tuple[str, tuple[str, ...]], depth: int, conditions: Conditions) -> Scored:
        query, kinds = wanted
        if not self._store.census.written:
            return []
        where = self._store.census.condition(conditions.expression(), kinds=kinds)
        best: dict[str, float] = {}
        columns = ["id", "text", "embed_text", "metadata", "parent_id"]
        for text, score in self._store.search_vector(self.vectors.of(query), depth=depth, where=where, columns=columns):
            best.setdefault(text.metadata.get("parent_id", ""), score)
        parents = {str(chunk.id): chunk for chunk in self._store.candidates(list(best), where=self._where(EVERYTHING))}
        return [(parents[key], score) for key, score in best.items() if key in parents]

    def _where(self, conditions: Conditions) -> Expr | None:
        return self._store.census.condition(conditions.expression())
