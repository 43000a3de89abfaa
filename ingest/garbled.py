"""How much of a text is no language: decoded with the wrong encoding, or with a font whose letters nobody can name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

WARN_FROM, FEWEST = 0.05, 3
"""A share of the text, and of characters, from which on a person is told: a few odd ones are in many good texts."""

_SLICES, _SLICE = 20, 10_000
_MOJIBAKE_8 = re.compile(
    r"[\u0080-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{2,}"
)
_HIGH_LATIN = re.compile(r"[\u00a1-\u00ff]{6,}")
_CJK_RUN = re.compile(r"[\u3400-\u9fff\ue000-\uf8ff\u20ac]{4,}")
_GLYPHS = re.compile(r"\(cid:\d+\)|(?:/[gGcC]?\d{1,4}){4,}|锟斤拷|烫烫烫|屯屯屯|ï¿½")
_RARE_SHARE = 0.3
_OF_THREE_BYTES = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
"""What UTF-8 writes with three bytes. One of two bytes is no sign of UTF-8 read as GBK, as every fifth Chinese character is, as
GBK, two bytes that are UTF-8 as well (时 is ʱ)."""


def garbled_share(text: str) -> float:
    """The share of the characters (0 to 1, of a sample of a long text) that are undecodable, private, or one encoding read as
    another: UTF-8 as Latin-1 (Ã©) or as GBK (浣犲ソ), GBK as Latin-1 (ÖÐÎÄ), names of glyphs instead of letters, ideographs that
    hardly any text has.
    """
    sample = _sample(text)
    letters = sum(not ch.isspace() for ch in sample)
    if not letters:
        return 0.0
    found = sum(count for ch, count in Counter(sample).items() if _odd(ch))
    found += sum(map(len, _GLYPHS.findall(sample)))
    found += sum(len(run) for run in _HIGH_LATIN.findall(sample) if not _is_utf8(run, "cp1252"))
    found += sum(len(run) for run in _MOJIBAKE_8.findall(sample) if _is_utf8(run, "cp1252"))
    found += sum(len(run) for run in _CJK_RUN.findall(sample) if _is_utf8(run, "gb18030", _OF_THREE_BYTES))
    return min(1.0, (found + _rare(sample)) / letters)


def is_garbled(text: str, share: float) -> bool:
    """Whether a person should be told."""
    return share >= WARN_FROM and share * len(text) >= FEWEST


def _sample(text: str) -> str:
    if len(text) <= _SLICES * _SLICE:
        return text
    step = len(text) // _SLICES
    return "".join(text[start : start + _SLICE] for start in range(0, step * _SLICES, step))


def _odd(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in ("Cn", "Co") or "\x80" <= character <= "\x9f"


def _is_utf8(run: str, codec: str, wide: re.Pattern[str] | None = None) -> bool:
    """Whether the bytes that the run stands for in `codec` are UTF-8 of several characters, but for its cut ends; most of the
    bytes being those of `wide` characters, where that is asked.
    """
    data = b"".join(_bytes(ch, codec) for ch in run)
    read = data.decode("utf-8", "ignore")
    if wide and 2 * 3 * len(wide.findall(read)) < len(data):
        return False
    return not read.isascii() and 4 * len(read.encode()) >= 3 * len(data) > 3


def _bytes(character: str, codec: str) -> bytes:
    """Five bytes mean nothing in cp1252 and are kept as they are."""
    try:
        return character.encode(codec)
    except UnicodeEncodeError:
        return character.encode("latin-1", "replace")


def _rare(sample: str) -> int:
    """The ideographs that no standard of everyday characters has, where they are a large share of all: a font's mistake."""
    ideographs = re.findall(r"[\u3400-\u9fff]", sample)
    counts = Counter(ideographs)
    rare = sum(
        count for ch, count in counts.items() if not any(_encodable(ch, codec) for codec in ("gb2312", "big5", "shift_jis"))
    )
    return rare if rare > _RARE_SHARE * len(ideographs) else 0


def _encodable(character: str, codec: str) -> bool:
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return False
    return True
