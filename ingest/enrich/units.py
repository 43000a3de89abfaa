"""A chunk as enrichment sees it: what a model is shown of it, and what must be known to write rows for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from store.schema import Chunk

COLUMNS = ("id", "doc_id", "version", "start", "end", "page", "heading", "source", "embed_text", "enabled")


@dataclass(frozen=True)
class Unit:
    """A chunk: `shown` is what is indexed of it, its text behind the title and the headings above it."""

    chunk_id: str
    index: int
    doc_id: str
    version: str
    start: int
    end: int
    page: int | None
    heading: str | None
    source: str
    shown: str
    enabled: bool = True
    """Whether it is found; for one that is switched off, nothing is asked and nothing indexed."""

    @classmethod
    def of(cls, chunk: Chunk) -> Self:
        """The unit of a chunk that is about to be stored."""
        return cls.of_row({name: getattr(chunk, name) for name in (*COLUMNS, "chunk_index")})

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """The unit of a stored chunk: a row with COLUMNS and chunk_index."""
        place = {name: row[name] for name in ("doc_id", "version", "start", "end", "page", "heading", "source")}
        return cls(chunk_id=row["id"], index=row["chunk_index"] or 0, shown=row["embed_text"], enabled=row["enabled"], **place)
