"""Searching the table of a base: by vectors, by words, by a part of a word. Higher scores are better."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from lancedb.background_loop import LOOP
from lancedb.expr import col, lit
from lancedb.query import MatchQuery

from language import indexed_form
from store import packed
from store.arrow import to_candidates
from store.census import CHUNK, Census
from store.document_rows import DocumentRows
from store.errors import InvalidVector, StoreError
from store.filters import build_filter, one_of
from store.schema import PROMOTED, Candidate, FloatArray
from store.vector_index import DISTANCE

if TYPE_CHECKING:
    from lancedb.expr import Expr
    from lancedb.table import AsyncTable

READ = ["id", "text", "embed_text", "metadata", *PROMOTED]
SEARCH = [packed.COLUMN]
"""What the retrievers read of a chunk."""

Found = Callable[[], list[tuple[Candidate, float]]]
"""Waits for a search and gives its candidates with their scores, best first."""

LOOK_AGAIN = 0.05
"""Seconds in which one question asks for the version several times; each look reads the folder."""


class TableSearch(DocumentRows):
    """What can be asked of a table; ChunkTable (store/table.py) opens it and writes into it."""

    _reader: AsyncTable
    """The same table as LanceDB's asynchronous interface has it: a search of the other one asks six times for the schema."""
    _known: Census | None = None
    _seen: tuple[int, float] | None = None
    """The newest version that was seen, and when; None after a commit."""
    _ended: int = 0
    """Commits of this process that have ended."""

    def search_vector(
        self,
        vector: Sequence[float] | FloatArray,
        *,
        depth: int,
        where: Expr | None = None,
        columns: Sequence[str] = SEARCH,
        exact: bool = True,
    ) -> list[tuple[Candidate, float]]:
        """The `depth` chunks whose vectors are nearest, with their cosine, best first. Raises InvalidVector.

        Without `exact`, a base with a vector index tells cosines only roughly, which is faster.
        """
        return self.begin_vector(vector, depth=depth, where=where, columns=columns, exact=exact)()

    def begin_vector(
        self,
        vector: Sequence[float] | FloatArray,
        *,
        depth: int,
        where: Expr | None = None,
        columns: Sequence[str] = SEARCH,
        exact: bool = True,
    ) -> Found:
        """Begin `search_vector`, as `begin_text` does `search_text`."""
        return _found(self._vector_query(vector, depth, where, columns, exact=exact), _cosine)

    def search_text(
        self, query: str, *, depth: int, where: Expr | None = None, columns: Sequence[str] = SEARCH
    ) -> list[tuple[Candidate, float]]:
        """The `depth` best chunks by BM25 over `embed_text`, with that score; each holds one of the query's words at least.

        Simplified and traditional Chinese find each other (see `sought`).
        """
        return self.begin_text(query, depth=depth, where=where, columns=columns)()

    def begin_text(self, query: str, *, depth: int, where: Expr | None = None, columns: Sequence[str] = SEARCH) -> Found:
        """Begin `search_text`; what is returned waits for its end. So several searches run at the same time without threads of
        their own, which would compete for the interpreter.
        """
        if not query.strip():
            return list
        search = self._reader.query().nearest_to_text(self._match(query)).limit(depth).select([*columns, "_score"])
        return _found((search.where(where) if where is not None else search).to_arrow(), _score)

    def search_segments(
        self, vector: Sequence[float] | FloatArray, *, depth: int, where: Expr | None = None
    ) -> list[tuple[Candidate, float]]:
        """The `depth` chunks with the nearest segments, with that cosine: LanceDB's MaxSim, which reads every segment."""
        return _found(self._vector_query(vector, depth, where, SEARCH, column="segment_vectors"), _cosine)()

    def search_substrings(self, parts: Sequence[str], *, depth: int, where: Expr | None = None) -> list[Candidate]:
        """Up to `depth` chunks whose indexed text holds one of the parts, in no order: reads every text."""
        held = reduce(lambda a, b: a | b, (col("embed_text").contains(lit(part)) for part in parts))
        rows = self._table.search().where(held if where is None else held & where).select(SEARCH).limit(depth).to_arrow()
        return to_candidates(rows)

    def candidates(self, ids: Sequence[str], *, where: Expr | None = None) -> list[Candidate]:
        """Those chunks with these ids that fit, in no order."""
        if not ids:
            return []
        wanted = one_of("id", ids) if where is None else one_of("id", ids) & where
        return to_candidates(self._table.search().where(wanted).select(SEARCH).limit(len(ids)).to_arrow())

    def ranked_ids(
        self, query: str | FloatArray, *, where: Expr | None = None, column: str = "vector"
    ) -> list[tuple[str, float]]:
        """(id, score) of every chunk of the base that a search by words (a text) or by meaning (a vector) gives, best first."""
        every = max(1, int(self._table.count_rows()))
        if isinstance(query, str):
            search, score = self._table.search(self._match(query)), "_score"
        else:
            search, score = self._table.search(query, vector_column_name=column).distance_type(DISTANCE), "_distance"
            search = search.bypass_vector_index()
        search = search.limit(every).select(["id", score])
        rows = (search.where(where) if where is not None else search).to_arrow()
        scores = rows[score].to_pylist()
        return list(zip(rows["id"].to_pylist(), scores if score == "_score" else [1.0 - d for d in scores], strict=True))

    def tokens(self, text: str) -> list[str]:
        """What the full-text index makes of a text: its words, stemmed. Raises StoreError where its files are damaged."""
        try:
            return [token.text for token in self._table.tokenize(text, column="embed_text")]
        except ValueError as error:  # so says LanceDB where it cannot read how the index parts words
            raise StoreError(f"The full-text index is damaged: {error}. Index the base again.") from error

    def sought(self, query: str) -> list[str]:
        """The words of a query as they are looked up: those of its one form (language/folding.py), in which texts are indexed,
        then those that it is written in, as what was indexed by older versions, and Japanese, has them.
        """
        return self.tokens(self._looked_up(query))

    def sample_texts(self, count: int) -> list[str]:
        """The indexed text of `count` chunks spread over the base (of all, when it has no more)."""
        table = self._table
        total = table.count_rows()
        if total <= count:
            return table.search().select(["embed_text"]).limit(max(1, total)).to_arrow()["embed_text"].to_pylist()  # type: ignore[no-any-return]
        places = np.linspace(0, total - 1, count).astype(int).tolist()
        return table.take_offsets(places).select(["embed_text"]).to_arrow()["embed_text"].to_pylist()  # type: ignore[no-any-return]

    @property
    def revision(self) -> int:
        """A number that changes with each commit: with one of this process at once, with another's within `LOOK_AGAIN`."""
        now, seen, ended = time.monotonic(), self._seen, self._ended
        if seen is None or now - seen[1] > LOOK_AGAIN:
            seen = int(self._table.version), now
            if ended == self._ended:  # else another thread has committed meanwhile, and the version may be that from before
                self._seen = seen
        return seen[0]

    @property
    def census(self) -> Census:
        """What the table holds now."""
        revision = self.revision
        known = self._known
        if known is None or known.revision != revision:
            known = self._known = Census.of(self._table, revision)
        return known

    def count(self, conditions: Mapping[str, Any] | None = None) -> int:
        """How many chunks fit the conditions, those switched off included; what was written for them does not count."""
        where = build_filter({"kind": CHUNK, **(conditions or {})}, enabled_only=False)
        return int(self._table.count_rows(where.to_sql() if where is not None else None))

    def _match(self, query: str) -> MatchQuery:
        return MatchQuery(self._looked_up(query), "embed_text")

    def _looked_up(self, query: str) -> str:
        form = indexed_form(query)
        if form == query:
            return query
        known = set(self.tokens(form))
        return " ".join([form, *dict.fromkeys(token for token in self.tokens(query) if token not in known)])

    def _vector_query(
        self,
        vector: Sequence[float] | FloatArray,
        depth: int,
        where: Expr | None,
        columns: Sequence[str],
        *,
        column: str = "vector",
        exact: bool = True,
    ) -> Coroutine[Any, Any, pa.Table]:
        if len(vector) != self._dimension:
            raise InvalidVector(f"a query vector of {len(vector)} numbers for a base of {self._dimension}")
        search = self._reader.query().nearest_to(np.asarray(vector, dtype=np.float32)).column(column).distance_type(DISTANCE)
        search = search.limit(depth).select([*columns, "_distance"])
        if exact and column == "vector":
            search = search.refine_factor(1)  # else an index tells the distances of rounded vectors
        rows: Coroutine[Any, Any, pa.Table] = (search.where(where) if where is not None else search).to_arrow()
        return rows


def _found(query: Coroutine[Any, Any, pa.Table], scores_of: Callable[[pa.Table], list[float]]) -> Found:
    """Run a query; what is returned waits for its end."""
    running = asyncio.run_coroutine_threadsafe(query, LOOP.loop)

    def wait() -> list[tuple[Candidate, float]]:
        rows = running.result()
        return list(zip(to_candidates(rows), scores_of(rows), strict=True))

    return wait


def _score(rows: pa.Table) -> list[float]:
    scores: list[float] = rows["_score"].to_pylist()
    return scores


def _cosine(rows: pa.Table) -> list[float]:
    return [1.0 - distance for distance in rows["_distance"].to_pylist()]
