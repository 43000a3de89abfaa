"""Compressed bytes unpacked up to a limit: nothing grows further than what is asked for."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

GZIP, ZLIB, RAW = 31, 15, -15
_AT_ONCE = 2**16


class Grows(Exception):
    """There is more than the limit."""


def gathered(chunks: Iterable[bytes], limit: int) -> bytes:
    """All of it in one. Raises Grows as soon as there are more than `limit` bytes."""
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > limit:
            raise Grows
    return bytes(data)


def inflated(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The content of what has a Content-Encoding (RFC 9110, section 8.4), in pieces of at most 64 KiB.

    Raises ValueError for an encoding that is not unpacked, more than one included; zlib.error for damaged bytes; EOFError when
    the end is missing.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        yield from chunks
    elif name in ("gzip", "x-gzip"):
        yield from _unpacked(chunks, (GZIP,))
    elif name == "deflate":
        yield from _unpacked(chunks, (ZLIB, RAW))  # many servers send it without the header that it should have
    else:
        raise ValueError(name)


def _unpacked(chunks: Iterable[bytes], formats: tuple[int, ...]) -> Iterator[bytes]:
    unpacker, begun, ended = zlib.decompressobj(formats[0]), False, False
    for chunk in chunks:
        rest, more = chunk, True
        while more:
            if ended and not rest.strip(b"\0"):  # what some programs fill up the end with
                break
            if ended:  # another member of a gzip file
                unpacker = zlib.decompressobj(formats[0])
            try:
                piece = unpacker.decompress(rest, _AT_ONCE)
            except zlib.error:
                if begun or len(formats) == 1:
                    raise
                unpacker = zlib.decompressobj(formats[1])
                piece = unpacker.decompress(rest, _AT_ONCE)
            begun, ended = True, unpacker.eof
            rest = unpacker.unused_data if ended else unpacker.unconsumed_tail
            more = bool(rest) or (not ended and len(piece) == _AT_ONCE)  # there may be more of what it took in already
            yield piece
    if begun and not ended:
        raise EOFError("the transfer ended in the middle")
