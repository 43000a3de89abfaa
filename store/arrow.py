"""Chunks as rows of a LanceDB table, and stored rows as chunks and candidates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
import pyarrow as pa

from language import indexed_form
from store import packed
from store.database import clean_text
from store.errors import InvalidVector
from store.schema import PROMOTED, Candidate, Chunk, SegmentSpan, chunk_id

ROWS_AT_ONCE = 500
"""Rows that are Python values at the same time, which take several times the memory of Arrow's."""


def arrow_schema(dimension: int) -> pa.Schema:
    """The columns for vectors of this length; `id` is the key of upserts, which LanceDB holds only when it cannot be null."""
    key = {"lance-schema:unenforced-primary-key": "true"}
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False, metadata=key),
            *(pa.field(name, pa.string()) for name in ("doc_id", "version", "kind", "parent_id", "heading", "source")),
            *(pa.field(name, pa.int64()) for name in ("chunk_index", "start", "end", "page")),
            pa.field("text", pa.string(), nullable=False),
            pa.field("embed_text", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
            pa.field("segments", pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())])), nullable=False),
            pa.field("segment_vectors", pa.list_(pa.list_(pa.float16(), dimension)), nullable=False),
            pa.field("created_at", pa.timestamp("us", "UTC"), nullable=False),
            pa.field("enabled", pa.bool_(), nullable=False),
            pa.field("tags", pa.list_(pa.string()), nullable=False),
            pa.field("metadata", pa.string(), nullable=False),
            pa.field(packed.COLUMN, pa.large_binary(), nullable=False),
        ]
    )


def to_arrow(chunks: Sequence[Chunk], dimension: int) -> pa.RecordBatchReader:
    """The chunks as rows, the last of those with the same id, which are made as they are read: all at once took a gigabyte of a
    large text. Raises InvalidVector on a vector that does not fit or is zero, before any row is made.
    """
    schema, single = arrow_schema(dimension), list({chunk.id: chunk for chunk in chunks}.values())
    for chunk in single:
        _check(chunk, dimension)
    starts = range(0, len(single), ROWS_AT_ONCE)
    parts = ([_row(chunk) for chunk in single[start : start + ROWS_AT_ONCE]] for start in starts)
    return pa.RecordBatchReader.from_batches(schema, (pa.RecordBatch.from_pylist(rows, schema=schema) for rows in parts))


def followed(rows: pa.RecordBatchReader, more: pa.Table) -> pa.RecordBatchReader:
    """The rows, then more of them."""
    return pa.RecordBatchReader.from_batches(rows.schema, chain(rows, more.to_batches()))


def _check(chunk: Chunk, dimension: int) -> None:
    vectors = np.vstack([chunk.vector, chunk.segment_vectors])
    if vectors.shape != (len(chunk.segments) + 1, dimension):
        raise InvalidVector(
            f"vectors of shape {vectors.shape} for {len(chunk.segments)} segments in a base of dimension {dimension}"
        )
    if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
        raise InvalidVector(f"the embedder gave a vector of zeros or of no numbers for {chunk.source or chunk.id}")


def _row(chunk: Chunk) -> dict[str, Any]:
    embed_text, metadata = clean_text(chunk.embed_text), dict(chunk.metadata)
    if chunk.override is not None:
        metadata[packed.OVERRIDE] = len(embed_text) - len(clean_text(chunk.override))
    indexed = indexed_form(embed_text)
    if indexed != embed_text:
        metadata[packed.WRITTEN] = embed_text
    row = {
        **{name: getattr(chunk, name) for name in (*PROMOTED, "id", "kind", "created_at", "enabled")},
        "text": clean_text(chunk.text),
        "embed_text": indexed,
        "vector": chunk.vector,
        "segments": [{"start": a, "end": b} for a, b in chunk.segments],
        "segment_vectors": list(chunk.segment_vectors.astype(np.float16)),
        "tags": list(chunk.tags),
        "metadata": clean_text(json.dumps(metadata, ensure_ascii=False)),
    }
    return row | {packed.COLUMN: packed.pack(row)}


def from_row(row: Mapping[str, Any]) -> Chunk:
    """The chunk that a stored row, with all its columns, was made of."""
    metadata = json.loads(row["metadata"])
    start = metadata.pop(packed.OVERRIDE, None)
    written = metadata.pop(packed.WRITTEN, row["embed_text"])
    return Chunk(
        **{name: row[name] for name in (*PROMOTED, "id", "kind", "text", "created_at", "enabled")},
        embed_text=written,
        vector=np.asarray(row["vector"], dtype=np.float32),
        segments=tuple(SegmentSpan(each["start"], each["end"]) for each in row["segments"]),
        segment_vectors=np.asarray(row["segment_vectors"], dtype=np.float32),
        tags=tuple(row["tags"]),
        metadata=metadata,
        override=None if start is None else written[start:],
    )


def relabelled(rows: pa.Table, *, doc_id: str, source: str) -> pa.Table:
    """Stored rows of a document as those of another one with the same content; what was written for a chunk follows it."""
    named, new = [], dict[str, str]()
    for row in rows.select([*packed.READ, "parent_id"]).to_pylist():
        place = {name: row[name] for name in ("kind", "start", "end")}
        new[row["id"]] = chunk_id(doc_id=doc_id, ordinal=row["chunk_index"], **place)
        row |= {"doc_id": doc_id, "source": source, "id": new[row["id"]]}
        named.append({name: row[name] for name in ("doc_id", "source", "id", "parent_id")} | {packed.COLUMN: packed.pack(row)})
    for row in named:
        row["parent_id"] = new.get(row["parent_id"], row["parent_id"])
    for name in named[0] if named else ():
        number = rows.schema.get_field_index(name)
        field = rows.schema.field(number)
        rows = rows.set_column(number, field, pa.array([row[name] for row in named], field.type))
    return rows


def to_candidates(table: pa.Table) -> list[Candidate]:
    """The rows of a search result, in order: of the packed column, or of `id`, `text`, `embed_text`, `metadata` and what else."""
    if packed.COLUMN in table.column_names:
        return [Candidate.read(*row) for row in packed.unpack(table[packed.COLUMN])]
    names = [name for name in PROMOTED if name in table.column_names]
    shown = zip(*(table[name].to_pylist() for name in names), strict=True) if names else repeat(())
    candidates = []
    stored = (table[name].to_pylist() for name in ("id", "text", "embed_text", "metadata"))
    for key, slice_, embed_text, told, values in zip(*stored, shown, strict=False):
        text, more = packed.corrected(slice_, embed_text, told)
        metadata = json.loads(more) if more != "{}" else {}
        metadata.update((name, value) for name, value in zip(names, values, strict=True) if value is not None)
        candidates.append(Candidate.read(key, text, metadata, None))
    return candidates
