"""What a knowledge base holds of a chunk, and how a chunk travels through the retrievers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document

from store import packed

FloatArray = npt.NDArray[np.float32]

SCHEMA_VERSION = 2
"""2: the column `packed`."""
PROMOTED = ("doc_id", "version", "parent_id", "chunk_index", "start", "end", "page", "heading", "source")
"""Columns that a document's metadata shows under their own names; what else it has is kept as JSON."""
FILTERABLE = (*PROMOTED, "id", "kind", "enabled", "created_at")


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
