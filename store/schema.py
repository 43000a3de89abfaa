"""The table of a knowledge base: one row a chunk, and how rows become Arrow and LangChain documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from langchain_core.documents import Document

from language import indexed_form
from store import packed
from store.database import clean_text
from store.errors import InvalidVector

FloatArray = npt.NDArray[np.float32]

SCHEMA_VERSION = 2
"""2: the column `packed`."""
PROMOTED = ("doc_id", "version", "parent_id", "chunk_index", "start", "end", "page", "heading", "source")
"""Columns that a document's metadata shows under their own names; what else it has is kept as JSON."""
FILTERABLE = (*PROMOTED, "id", "kind", "enabled", "created_at")


ROWS_AT_ONCE = 500
"""Rows that are Python values at the same time, which take several times the memory of Arrow's."""


class SegmentSpan(NamedTuple):
    """A segment of a chunk, by its place in the document's text."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """A chunk as it is stored. `text` is the slice `start:end` of its document; `embed_text` is what both legs index
    (full text in one form of Chinese, see language/folding.py).

    `vector` has the base's dimension; `segment_vectors` is (segments, dimension); both of unit length. The corrected text of one
    that was edited is `override`, with which `embed_text` ends; its segments are places in that, counted from `start`.
    """

    id: str
    text: str
    embed_text: str
    vector: FloatArray
    segments: tuple[SegmentSpan, ...]
    segment_vectors: FloatArray
    doc_id: str | None = None
    version: str | None = None
    kind: str = "chunk"
    parent_id: str | None = None
    chunk_index: int | None = None
    start: int | None = None
    end: int | None = None
    page: int | None = None
    heading: str | None = None
    source: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    enabled: bool = True
    override: str | None = None

    @property
    def shown_text(self) -> str:
        """The text as it was corrected, or the document's."""
        return self.text if self.override is None else self.override


class Nearness(NamedTuple):
    """How near a chunk is to a query: the cosine of each segment, shape (segments,), the best one, and that of their mean.

    The mean is weighted by the segments' lengths.
    """

    cosines: FloatArray
    best: float
    mean: float


class Candidate(Document):
    """A stored chunk on its way through the retrievers; its segment vectors travel beside the metadata, unseen by callbacks."""

    __slots__ = ("_nearness", "_segment_vectors")  # pydantic's own private attributes take ten times as long to read
    if TYPE_CHECKING:
        _segment_vectors: packed.Vectors | None
        _nearness: tuple[FloatArray, Nearness] | None

    def model_post_init(self, context: Any, /) -> None:
        """Begin without vectors."""
        object.__setattr__(self, "_segment_vectors", None)
        object.__setattr__(self, "_nearness", None)

    @classmethod
    def read(cls, key: str, text: str, metadata: dict[str, Any], vectors: packed.Vectors | None) -> Candidate:
        """A candidate of stored values, which need no validation: of each question there are hundreds.

        What pydantic's model_construct sets, in a third of its time.
        """
        candidate = cls.__new__(cls)
        put = object.__setattr__
        put(candidate, "__dict__", {"id": key, "metadata": metadata, "page_content": text, "type": "Document"})
        put(candidate, "__pydantic_fields_set__", {"id", "metadata", "page_content"})
        put(candidate, "__pydantic_extra__", None)
        put(candidate, "__pydantic_private__", None)
        put(candidate, "_nearness", None)
        put(candidate, "_segment_vectors", vectors)
        return candidate

    def renewed(self) -> Candidate:
        """The same chunk for another question: nothing that is written into its metadata shows in this one's."""
        return self.read(str(self.id), self.page_content, dict(self.metadata), self._segment_vectors)

    def with_segment_vectors(self, vectors: FloatArray | None) -> Self:
        """The same candidate, which now carries these."""
        object.__setattr__(self, "_segment_vectors", vectors)
        return self

    @property
    def segment_vectors(self) -> FloatArray | None:
        """(segments, dimension), of unit length, in the order of metadata["segments"]; None when it was not fetched."""
        held = self._segment_vectors
        return None if held is None else packed.widened([held])

    @property
    def stored_vectors(self) -> packed.Vectors | None:
        """`segment_vectors`, as they are stored where they were read from a table."""
        return self._segment_vectors

    def nearness(self, query: FloatArray) -> Nearness | None:
        """How near it is to the query, if `keep_nearness` was told of this very vector."""
        return self._nearness[1] if self._nearness is not None and self._nearness[0] is query else None

    def keep_nearness(self, query: FloatArray, nearness: Nearness) -> None:
        """Remember what several layers ask for."""
        object.__setattr__(self, "_nearness", (query, nearness))


def chunk_id(*, doc_id: str, kind: str, start: int, end: int, ordinal: int) -> str:
    """The id of a chunk: the same document, kind, span and ordinal give the same id."""
    return hashlib.sha256(f"{doc_id}\0{kind}\0{start}\0{end}\0{ordinal}".encode()).hexdigest()[:32]


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


def to_arrow(chunks: Sequence[Chunk], dimension: int) -> pa.Table:
    """The chunks as rows, the last of those with the same id. Raises InvalidVector on a vector that does not fit or is zero."""
    schema, single = arrow_schema(dimension), list({chunk.id: chunk for chunk in chunks}.values())
    starts = range(0, len(single), ROWS_AT_ONCE)
    parts = ([_row(chunk, dimension) for chunk in single[start : start + ROWS_AT_ONCE]] for start in starts)
    return pa.concat_tables([pa.Table.from_pylist(rows, schema=schema) for rows in parts] or [schema.empty_table()])


def _row(chunk: Chunk, dimension: int) -> dict[str, Any]:
    vectors = np.vstack([chunk.vector, chunk.segment_vectors])
    if vectors.shape != (len(chunk.segments) + 1, dimension):
        raise InvalidVector(
            f"vectors of shape {vectors.shape} for {len(chunk.segments)} segments in a base of dimension {dimension}"
        )
    if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
        raise InvalidVector(f"the embedder gave a vector of zeros or of no numbers for {chunk.source or chunk.id}")
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
