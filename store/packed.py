"""What the retrievers read of a chunk, as one value.

Of the hundred rows that a search finds, scattered over the table, LanceDB fetches each column by itself: the twelve that every
search reads took twice as long as one that holds the same. So each row keeps a copy of them beside its columns: the lengths of
two parts, JSON and text, then the parts, then the segment vectors as float16.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

COLUMN = "packed"
SHOWN = ("doc_id", "start", "end", "page", "heading", "source")
"""The columns that are copied as they are."""
READ = ("id", "kind", "chunk_index", *SHOWN, "created_at", "segments", "metadata", "text", "embed_text", "segment_vectors")
"""What a row is packed from, and what its id is made of."""
OVERRIDE = "override_from"
"""In the metadata of a corrected chunk: from where on in `embed_text`, as it was written, its corrected text stands."""
WRITTEN = "embed_text_as_written"
"""In the metadata of a chunk whose `embed_text` is stored in another form (language/folding.py): what it was before."""
_HEAD = struct.Struct("<II")
_MICROSECONDS = 1_000_000
_SIGN_AND_NUMBER = np.uint32(0x8FFFE000).astype(np.int32)


def pack(row: Mapping[str, Any]) -> bytes:
    """The packed value of a row, given as its columns' values: `segments` as [start, end] or {"start", "end"}."""
    created_at, places = _to_microseconds(row["created_at"]), _flat(row["segments"])
    shown, metadata = corrected(row["text"], row.get("embed_text", ""), row["metadata"])
    about = [row["id"], *(row[name] for name in SHOWN), created_at, places, metadata]
    said = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
    text = shown.encode()
    vectors = np.asarray(row["segment_vectors"], dtype=np.float16)
    return b"".join((_HEAD.pack(len(said), len(text)), said, text, vectors.tobytes()))


def corrected(text: str, embed_text: str, metadata: str) -> tuple[str, str]:
    """The text of a chunk as it is shown, and its metadata as JSON: of a corrected one with "edited" and the "original" text."""
    if f'"{OVERRIDE}": ' not in metadata and f'"{WRITTEN}": ' not in metadata:
        return text, metadata
    known = json.loads(metadata)
    written = known.pop(WRITTEN, embed_text)
    start = known.pop(OVERRIDE, None)
    if isinstance(start, int):
        text, known = written[start:], known | {"edited": True, "original": text}
    return text, json.dumps(known, ensure_ascii=False)


def as_written(embed_text: str, metadata: str) -> str:
    """What is indexed of a chunk, by its stored columns, as it was before it was brought into one form."""
    if f'"{WRITTEN}": ' not in metadata:
        return embed_text
    return str(json.loads(metadata).get(WRITTEN, embed_text))


Halves = npt.NDArray[np.uint16]
"""Segment vectors of shape (segments, dimension) as they are stored: the bits of float16."""
Vectors = Halves | npt.NDArray[np.float32]
Unpacked = tuple[str, str, dict[str, Any], Halves]
"""id, text, metadata, and segment vectors."""


def unpack(values: pa.ChunkedArray) -> list[Unpacked]:
    """What the column holds in several rows, in order. The vectors stay in Arrow's memory: fresh memory is dear, and many of
    them are never read.
    """
    parts = [_parts(value) for value in _views(values)]
    told = json.loads(b"[%b]" % b",".join([said for said, _, _ in parts]))  # one call for all, which is where the time goes
    read = [_read(*each) for each in told]
    return [
        (key, str(text, "utf-8"), metadata, _halves(vectors, len(metadata["segments"])))
        for (key, metadata), (_, text, vectors) in zip(read, parts, strict=True)
    ]


def widened(several: Sequence[Vectors]) -> npt.NDArray[np.float32]:
    """The vectors of several rows, one below the other, as float32; for finite numbers.

    By their bits, which is much faster than astype. The exponents' biases differ by 112.
    """
    if any(vectors.dtype != np.uint16 for vectors in several):
        return np.concatenate([widened([one]) if one.dtype == np.uint16 else one for one in several], dtype=np.float32)
    bits = np.concatenate([halves.view(np.int16) for halves in several], dtype=np.int32)  # the sign now fills the upper half
    bits <<= 13
    bits &= _SIGN_AND_NUMBER
    wide = bits.view(np.float32)
    wide *= np.float32(2.0**112)
    return wide


def _views(values: pa.ChunkedArray) -> Iterator[memoryview]:
    """The values of a column of large_binary without nulls, none of them copied."""
    for chunk in filter(len, values.chunks):  # an empty one may have no buffers
        _, ends, held = chunk.buffers()
        places = np.frombuffer(ends, dtype=np.int64)[chunk.offset : chunk.offset + len(chunk) + 1].tolist()
        whole = memoryview(held)
        yield from (whole[start:end] for start, end in pairwise(places))


def _halves(vectors: memoryview, segments: int) -> Halves:
    return np.frombuffer(vectors, dtype=np.uint16).reshape(segments, -1) if segments else np.zeros((0, 0), dtype=np.uint16)


def _parts(value: memoryview) -> tuple[memoryview, memoryview, memoryview]:
    said_length, text_length = _HEAD.unpack_from(value)
    text_from = _HEAD.size + said_length
    vectors_from = text_from + text_length
    return value[_HEAD.size : text_from], value[text_from:vectors_from], value[vectors_from:]


def _read(key: str, *told: Any) -> tuple[str, dict[str, Any]]:
    *shown, created_at, places, more = told
    metadata = {name: given for name, given in zip(SHOWN, shown, strict=True) if given is not None}
    if more != "{}":
        metadata = json.loads(more) | metadata
    metadata["created_at"] = _moment(created_at)
    metadata["segments"] = list(zip(places[::2], places[1::2], strict=True))
    return key, metadata


@lru_cache(maxsize=4096)
def _moment(microseconds: int) -> datetime:
    """The chunks of a document were all made at once."""
    return datetime.fromtimestamp(microseconds / _MICROSECONDS, UTC)


def _flat(segments: Sequence[Any]) -> list[int]:
    return [place for s in segments for place in ((s["start"], s["end"]) if isinstance(s, dict) else s)]


def _to_microseconds(time: datetime) -> int:
    return round(time.timestamp() * _MICROSECONDS)
