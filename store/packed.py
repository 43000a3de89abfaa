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
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

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


Unpacked = tuple[str, str, dict[str, Any], npt.NDArray[np.float32]]
"""id, text, metadata, and segment vectors of shape (segments, dimension)."""


def unpack(values: Sequence[bytes]) -> list[Unpacked]:
    """What the packed values of several rows hold, in order."""
    parts = [_parts(value) for value in values]
    told = json.loads(b"[%b]" % b",".join([said for said, _, _ in parts]))  # one call for all, which is where the time goes
    read = [_read(*each) for each in told]
    halves = np.frombuffer(b"".join([vectors for _, _, vectors in parts]), dtype=np.uint16)
    segments = [len(metadata["segments"]) for _, metadata in read]
    every = _widened(halves).reshape(sum(segments), -1) if halves.size else np.zeros((0, 0), dtype=np.float32)
    ends = list(accumulate(segments))
    return [
        (key, text.decode(), metadata, every[end - count : end])
        for (key, metadata), (_, text, _), count, end in zip(read, parts, segments, ends, strict=True)
    ]


def _parts(value: bytes) -> tuple[bytes, bytes, memoryview]:
    said_length, text_length = _HEAD.unpack_from(value)
    text_from = _HEAD.size + said_length
    vectors_from = text_from + text_length
    return value[_HEAD.size : text_from], value[text_from:vectors_from], memoryview(value)[vectors_from:]


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


def _widened(halves: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """float16 by its bits as float32, for finite numbers: much faster than astype. The exponents' biases differ by 112."""
    bits = halves.view(np.int16).astype(np.int32)  # the sign now fills the upper half
    bits <<= 13
    bits &= _SIGN_AND_NUMBER
    wide = bits.view(np.float32)
    wide *= np.float32(2.0**112)
    return wide


def _flat(segments: Sequence[Any]) -> list[int]:
    return [place for s in segments for place in ((s["start"], s["end"]) if isinstance(s, dict) else s)]


def _to_microseconds(time: datetime) -> int:
    return round(time.timestamp() * _MICROSECONDS)
