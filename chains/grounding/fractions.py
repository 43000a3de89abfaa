"""Parts and multiples that are written in words: half a kilogram, 半公斤, 一个半小时, two thirds, a dozen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from chains.grounding.numerals import CHINESE, numerals

_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_NAMED = "|".join(sorted(_PARTS, key=len, reverse=True))
_FEW = "one|two|three|four|five|six|seven|eight|nine"
_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,3})(?![\d/])")
_WORDED = re.compile(rf"\b({_FEW})[ -]({_NAMED})(?:s\b|(?=\s+of\b))", re.IGNORECASE)
_AND_HALF = re.compile(rf"\b({_FEW}|an?|\d+)(?:\s+(?:hour|year|month|day|week))?\s+and\s+a\s+half\b", re.IGNORECASE)
_CHINESE_AND_HALF = re.compile(f"({CHINESE}|\\d+)\\s*个半(?=小时|月|钟头|星期|世纪)")
_HALF = re.compile(rf"\b({_NAMED})\b(?:\s+an?\b|\s+of\b(?:\s+an?\b)?)?|一半|半数|半(?=个|[年天月公千小斤吨米升])", re.IGNORECASE)
_MULTIPLE = re.compile(r"\b(?:dozen|twice|doubled?|tripled?|threefold|twofold)\b|翻(?:了)?一番", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:single|sole|only|unique)\b|唯一|单一|[仅只]有?(?=[一1])", re.IGNORECASE)
_TIMES = {"dozen": 12, "triple": 3, "tripled": 3, "threefold": 3}


class Part(NamedTuple):
    """A value by its place in the text."""

    start: int
    end: int
    value: float


def written_parts(text: str) -> Iterator[Part]:
    """What an answer can be held to: 1/3, two thirds, one and a half, 一个半小时."""
    for match in _SLASHED.finditer(text):
        if int(match[2]) > 1 and int(match[1]) < int(match[2]):
            yield Part(match.start(), match.end(), int(match[1]) / int(match[2]))
    for match in _WORDED.finditer(text):
        yield Part(match.start(), match.end(), _value(match[1]) / _PARTS[match[2].lower()])
    for pattern in (_AND_HALF, _CHINESE_AND_HALF):
        for match in pattern.finditer(text):
            yield Part(match.start(), match.end(), _value(match[1]) + 0.5)


def loose_parts(text: str) -> Iterator[Part]:
    """What a source may mean by a word that is often no number (the first half), so that an answer is not held to it."""
    for match in _HALF.finditer(text):
        below = _PARTS[match[1].lower()] if match[1] else 2
        yield Part(match.start(), match.end(), 1 / below)
    for match in _MULTIPLE.finditer(text):
        yield Part(match.start(), match.end(), float(_TIMES.get(match[0].lower(), 2)))
    for match in _SINGLE.finditer(text):
        yield Part(match.start(), match.end(), 1.0)


def _value(written: str) -> float:
    found = numerals(written)
    return found[0].value if found else 1.0
