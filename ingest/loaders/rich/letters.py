"""Bytes of RTF as letters: each font has a code page of its own, and a character of two bytes may be written in two ways."""

from __future__ import annotations

import codecs
from contextlib import suppress

SYMBOL = 2
"""The character set of fonts such as Wingdings, whose letters are pictures."""
_BULLETS = {0xB7: "•", 0xA7: "•", 0x6C: "•", 0x6E: "•", 0x75: "•", 0xD8: "•", 0xFC: "✓", 0xFE: "☑", 0xA8: "☐"}


class Letters:
    r"""Decodes what a program wrote as \'xx or as it is; the second byte of a character may be an ASCII letter."""

    def __init__(self) -> None:
        self.code_page = "cp1252"
        self.charsets: dict[int, int] = {}
        self._waiting = False
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}

    def decode(self, data: bytes, font: int | None) -> str:
        """The text of some bytes; a first byte without its second one waits for it."""
        charset = self.charsets.get(-1 if font is None else font, 1)
        if charset == SYMBOL:
            return "".join(_BULLETS.get(byte, "") for byte in data)
        self._waiting = True
        return self._decoder(self._name(charset)).decode(data)

    def set_code_page(self, number: int) -> None:
        """The code page of fonts that have none of their own, by Windows' number; one that is not known changes nothing."""
        name = {10_000: "mac_roman", 10_001: "cp932", 10_008: "gbk", 54_936: "gb18030", 65_001: "utf-8"}.get(
            number, f"cp{number}"
        )
        with suppress(LookupError):
            self.code_page = codecs.lookup(name).name

    def end(self) -> str:
        """What is left of characters that were never finished."""
        if not self._waiting:
            return ""
        self._waiting = False
        return "".join(decoder.decode(b"", final=True) for decoder in self._decoders.values())

    def _decoder(self, name: str) -> codecs.IncrementalDecoder:
        if name not in self._decoders:
            self._decoders[name] = codecs.getincrementaldecoder(name)("replace")
        return self._decoders[name]

    def _name(self, charset: int) -> str:
        from striprtf.striprtf import charset_map

        name = self.code_page if charset in (0, 1) else str(charset_map.get(charset, self.code_page))
        try:
            return codecs.lookup(name).name
        except LookupError:
            return codecs.lookup(_MAC.get(charset, "cp1252")).name


_MAC = {77: "mac_roman", 78: "cp932", 79: "cp949", 80: "gbk", 81: "big5", 85: "gbk", 89: "mac_latin2"}
"""Character sets of old Macs that Python knows under other names, or near ones."""
