"""Reading what is stored of a document, or of chunks that are named, from the table of a base; nothing is searched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from lancedb.expr import col, lit

from store.arrow import arrow_schema, from_row
from store.census import CHUNK
from store.filters import one_of
from store.packed import as_written
from store.schema import Chunk
from store.stored import STORED, ChunkSpan, StoredChunk, Switch

if TYPE_CHECKING:
    from lancedb.expr import Expr
    from lancedb.table import Table


class DocumentRows:
    """The rows of a table by the documents and chunks that they belong to."""

    _table: Table

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


def dimension_of(table: Table) -> int:
    """The length of the vectors in a table."""
    return int(table.schema.field("vector").type.list_size)
