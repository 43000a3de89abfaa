"""What is told of the rows of a base to who looks it through, rather than to the retrievers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from store.packed import corrected


class ChunkSpan(NamedTuple):
    """Where a chunk lies in its document's text, and the path of headings it stands under."""

    id: str
    start: int
    end: int
    heading: str | None


class Switch(NamedTuple):
    """A row by its id, of which kind it is, for which chunk it was written if it is none, and whether it is found."""

    id: str
    kind: str
    parent_id: str | None
    enabled: bool


class StoredChunk(NamedTuple):
    """A chunk as a person may look at it, switched off or not. `text` is what is shown of it: corrected, where it is `edited`."""

    id: str
    doc_id: str
    source: str
    page: int | None
    heading: str | None
    start: int
    end: int
    text: str
    embed_text: str
    """As full text has it."""
    enabled: bool
    edited: bool = False
    original: str = ""
    """The document's text, where the chunk is edited."""
    sheet: str | None = None
    rows: tuple[int, int] | None = None
    """The first and the last row of a table that it holds a part of."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> StoredChunk:
        """The chunk of a row with the columns `STORED`."""
        text, told = corrected(row["text"], row["embed_text"], row["metadata"])
        known = json.loads(told)
        about = {name: row[name] for name in cls._fields if name in row} | {"text": text, "sheet": known.get("sheet")}
        rows = tuple(known["rows"]) if "rows" in known else None
        return cls(**about, rows=rows, edited=bool(known.get("edited")), original=known.get("original", ""))


STORED = [*StoredChunk._fields[:10], "metadata"]
"""The columns that a StoredChunk is made of."""
