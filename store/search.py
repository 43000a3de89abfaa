"""Searching the table of a base: by vectors, by words, by a part of a word. Higher scores are better."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from lancedb.background_loop import LOOP
from lancedb.expr import col, lit
from lancedb.query import MatchQuery

from language import indexed_form
from store import packed
from store.census import CHUNK, Census
from store.errors import InvalidVector
from store.filters import build_filter, one_of
from store.packed import as_written
from store.schema import PROMOTED, Candidate, Chunk, FloatArray, arrow_schema, from_row, to_candidates
from store.stored import STORED, ChunkSpan, StoredChunk, Switch
from store.vector_index import DISTANCE

if TYPE_CHECKING:
    from lancedb.expr import Expr
    from lancedb.table import AsyncTable, Table

READ = ["id", "text", "embed_text", "metadata", *PROMOTED]
SEARCH = [packed.COLUMN]
"""What the retrievers read of a chunk."""

LOOK_AGAIN = 0.05
"""Seconds in which one question asks for the version several times; each look reads the folder."""


class TableSearch:
    """What can be asked of a table; ChunkTable (store/table.py) opens it and writes into it."""

    _table: Table
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
        rows = self._vector_query(vector, depth, where, columns, exact=exact)
        return [(c, 1.0 - d) for c, d in zip(to_candidates(rows), rows["_distance"].to_pylist(), strict=True)]

    def search_text(
        self, query: str, *, depth: int, where: Expr | None = None, columns: Sequence[str] = SEARCH
    ) -> list[tuple[Candidate, float]]:
        """The `depth` best chunks by BM25 over `embed_text`, with that score; each holds one of the query's words at least.

        Simplified and traditional Chinese find each other (see `sought`).
        """
        return self.begin_text(query, depth=depth, where=where, columns=columns)()

    def begin_text(
        self, query: str, *, depth: int, where: Expr | None = None, columns: Sequence[str] = SEARCH
    ) -> Callable[[], list[tuple[Candidate, float]]]:
        """Begin `search_text`; what is returned waits for its end. So a search by vector can run at the same time without a
        thread of its own, which would compete for the interpreter.
        """
        if not query.strip():
            return list
        search = self._reader.query().nearest_to_text(self._match(query)).limit(depth).select([*columns, "_score"])
        rows = (search.where(where) if where is not None else search).to_arrow()
        running = asyncio.run_coroutine_threadsafe(rows, LOOP.loop)

        def found() -> list[tuple[Candidate, float]]:
            rows = running.result()
            return list(zip(to_candidates(rows), rows["_score"].to_pylist(), strict=True))

        return found

    def search_segments(
        self, vector: Sequence[float] | FloatArray, *, depth: int, where: Expr | None = None
    ) -> list[tuple[Candidate, float]]:
        """The `depth` chunks with the nearest segments, with that cosine: LanceDB's MaxSim, which reads every segment."""
        rows = self._vector_query(vector, depth, where, SEARCH, column="segment_vectors")
        return [(c, 1.0 - d) for c, d in zip(to_candidates(rows), rows["_distance"].to_pylist(), strict=True)]

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

    def chunks_at(self, doc_id: str, start: int, end: int) -> list[StoredChunk]:
        """The chunks of a document that hold a part of the span, those switched off included, in order."""
        overlap = (col("start") < lit(end)) & (col("end") > lit(start)) & (col("kind") == lit(CHUNK))
        return self._stored((col("doc_id") == lit(doc_id)) & overlap)

    def chunks_of(self, doc_id: str) -> list[StoredChunk]:
        """All chunks of a document, those switched off included, in order."""
        return self._stored((col("doc_id") == lit(doc_id)) & (col("kind") == lit(CHUNK)))

    def chunk_with_id(self, key: str) -> StoredChunk | None:
        """The chunk with this id, switched off or not; None when there is none."""
        return next(iter(self._stored((col("id") == lit(key)) & (col("kind") == lit(CHUNK)))), None)

    def switches_of(self, doc_id: str) -> list[Switch]:
        """Which rows of a document, its chunks and what was written for them, are switched on."""
        return [Switch(**row) for row in self._rows(col("doc_id") == lit(doc_id), Switch._fields).to_pylist()]

    def whole_chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids with all that is stored of them, in no order."""
        return [from_row(row) for row in self._rows(one_of("id", ids), arrow_schema(self._dimension).names).to_pylist()]

    def chunk_spans(self, doc_id: str) -> list[ChunkSpan]:
        """Where the chunks of a document lie in its text."""
        rows = self._rows((col("doc_id") == lit(doc_id)) & (col("kind") == lit(CHUNK)), ["start", "end", "heading", "id"])
        return [ChunkSpan(**row) for row in rows.to_pylist()]

    def rows_of(self, doc_id: str, columns: Sequence[str], *, written: bool = False) -> list[dict[str, Any]]:
        """These columns of the chunks of a document, in order; with `written`, of what was written for them instead.

        `embed_text` is as it was written.
        """
        kind = col("kind") != lit(CHUNK) if written else col("kind") == lit(CHUNK)
        more = ["chunk_index", "metadata"] if "embed_text" in columns else ["chunk_index"]
        rows: list[dict[str, Any]] = self._rows((col("doc_id") == lit(doc_id)) & kind, [*columns, *more]).to_pylist()
        for row in rows if "embed_text" in columns else ():
            row["embed_text"] = as_written(row["embed_text"], row["metadata"])
        return sorted(rows, key=lambda row: row["chunk_index"] or 0)

    def tokens(self, text: str) -> list[str]:
        """What the full-text index makes of a text: its words, stemmed."""
        return [token.text for token in self._table.tokenize(text, column="embed_text")]

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

    @cached_property
    def _dimension(self) -> int:
        return dimension_of(self._table)

    def _stored(self, where: Expr) -> list[StoredChunk]:
        chunks = map(StoredChunk.of, self._rows(where, STORED).to_pylist())
        return sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))

    def _rows(self, where: Expr, columns: Sequence[str]) -> pa.Table:
        """All rows that fit (a search without a limit gives ten)."""
        table = self._table
        return table.search().where(where).select(list(columns)).limit(max(1, table.count_rows(where.to_sql()))).to_arrow()

    def _vector_query(
        self,
        vector: Sequence[float] | FloatArray,
        depth: int,
        where: Expr | None,
        columns: Sequence[str],
        *,
        column: str = "vector",
        exact: bool = True,
    ) -> pa.Table:
        if len(vector) != self._dimension:
            raise InvalidVector(f"a query vector of {len(vector)} numbers for a base of {self._dimension}")
        search = self._reader.query().nearest_to(np.asarray(vector, dtype=np.float32)).column(column).distance_type(DISTANCE)
        search = search.limit(depth).select([*columns, "_distance"])
        if exact and column == "vector":
            search = search.refine_factor(1)  # else an index tells the distances of rounded vectors
        return LOOP.run((search.where(where) if where is not None else search).to_arrow())


def dimension_of(table: Table) -> int:
    """The length of the vectors in a table."""
    return int(table.schema.field("vector").type.list_size)
