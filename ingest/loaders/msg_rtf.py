"""The rich text of Outlook messages: compressed as MS-OXRTFCP describes, in it a page or formatted text."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans Serif"
    b"SymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_MAX_BYTES = 64 * 2**20


def text_of_rtf(data: bytes) -> str:
    """The text of a compressed body; "" for none or for one that is damaged."""
    from striprtf import striprtf

    rich = decompress(data)
    if not rich.startswith(b"{\\rtf"):
        return ""
    try:
        return str(striprtf.rtf_to_text(rich.decode("latin-1"), encoding="cp1252", errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, IndexError, TypeError):
        return ""


def decompress(data: bytes) -> bytes:
    """The rich text itself; b"" where the form is unknown. At most 64 MiB."""
    if len(data) < 16:
        return b""
    size, kind = struct.unpack_from("<4xII", data)
    if kind == _PLAIN:
        return data[16 : 16 + size]
    return _expand(data[16:], min(size, _MAX_BYTES)) if kind == _COMPRESSED else b""


def _expand(data: bytes, size: int) -> bytes:
    """Runs of eight tokens behind a byte that says which of them are references into the window of the last 4096 bytes."""
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    write = len(_START)
    out = bytearray()
    place = 0
    while place < len(data) and len(out) < size:
        flags, place = data[place], place + 1
        for bit in range(8):
            if flags >> bit & 1:
                if place + 2 > len(data):
                    return bytes(out[:size])
                token, place = data[place] << 8 | data[place + 1], place + 2
                start, length = token >> 4, (token & 15) + 2
                if start == write % _WINDOW:
                    return bytes(out[:size])
                taken: Iterator[int] = (window[(start + step) % _WINDOW] for step in range(length))
            else:
                taken, place = iter(data[place : place + 1]), place + 1
            for byte in taken:
                window[write % _WINDOW] = byte
                out.append(byte)
                write += 1
    return bytes(out[:size])
