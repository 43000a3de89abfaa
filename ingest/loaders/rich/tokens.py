"""RTF as a stream of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_TOKEN = re.compile(rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)", re.DOTALL)
Kind = Literal["open", "close", "word", "symbol", "byte", "text"]


class Token(NamedTuple):
    """A word with its parameter, a symbol, the bytes of text, or the start or end of a group."""

    kind: Kind
    word: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    r"""The tokens in order; line breaks mean nothing. What follows \bin is passed over."""
    place = 0
    while match := _TOKEN.match(data, place):
        place = match.end()
        word, number, hexadecimal, symbol, brace, text = match.groups()
        if word:
            given = int(number) if number else None
            if word == b"bin":
                place += max(0, given or 0)
            else:
                yield Token("word", word.decode("ascii"), given)
        elif hexadecimal:
            yield Token("byte", data=bytes.fromhex(hexadecimal.decode("ascii")))
        elif symbol:
            yield Token("symbol", symbol.decode("latin-1"))
        elif brace:
            yield Token("open" if brace == b"{" else "close")
        elif text:
            yield Token("text", data=text)
