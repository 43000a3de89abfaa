"""What the retrievers read of a chunk, as one value.

Of the hundred rows that a search finds, scattered over the table, LanceDB fetches each column by itself: the twelve that every
search reads took twice as long as one that holds the same. So each row keeps a copy of them beside its columns: the lengths of
two parts, JSON and text, then the parts, then the segment vectors as float16.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

COLUMN = "packed"
SHOWN = ("doc_id", "start", "end", "page", "heading", "source")
"""The columns that are copied as they are."""
READ = ("id", "kind", "chunk_index", *SHOWN, "created_at", "segments", "metadata", "text", "segment_vectors")
"""What a row is packed from, and what its id is made of."""
_HEAD = struct.Struct("<II")
_MICROSECONDS = 1_000_000


def pack(row: Mapping[str, Any]) -> bytes:
    """The packed value of a row, given as its columns' values: `segments` as [start, end] or {"start", "end"}."""
    created_at, places = _to_microseconds(row["created_at"]), _flat(row["segments"])
    about = [row["id"], *(row[name] for name in SHOWN), created_at, places, row["metadata"]]
    said = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
    text = row["text"].encode()
    vectors = np.asarray(row["segment_vectors"], dtype=np.float16)
    return b"".join((_HEAD.pack(len(said), len(text)), said, text, vectors.tobytes()))


def unpack(value: bytes) -> tuple[str, str, dict[str, Any], npt.NDArray[np.float32]]:
    """(id, text, metadata, segment vectors of shape (segments, dimension)) of a packed value."""
    said_length, text_length = _HEAD.unpack_from(value)
    text_from = _HEAD.size + said_length
    vectors_from = text_from + text_length
    key, *shown, created_at, places, more = json.loads(value[_HEAD.size : text_from])
    metadata = json.loads(more) if more != "{}" else {}
    metadata.update((name, given) for name, given in zip(SHOWN, shown, strict=True) if given is not None)
    metadata["created_at"] = datetime.fromtimestamp(created_at / _MICROSECONDS, UTC)
    metadata["segments"] = list(zip(places[::2], places[1::2], strict=True))
    vectors = np.frombuffer(value, dtype=np.float16, offset=vectors_from).astype(np.float32)
    return key, value[text_from:vectors_from].decode(), metadata, vectors.reshape(len(places) // 2, -1)


def _flat(segments: Sequence[Any]) -> list[int]:
    return [place for s in segments for place in ((s["start"], s["end"]) if isinstance(s, dict) else s)]


def _to_microseconds(time: datetime) -> int:
    return round(time.timestamp() * _MICROSECONDS)
