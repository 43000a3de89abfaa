"""The labels of lists and the numbers of headings (OpenDocument 1.3, 16.30 to 16.32): they are counted, not written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ingest.loaders.odf import STYLE, TEXT
from ingest.loaders.word.numerals import numeral

LEVELS = 10
_KINDS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "一, 二, 三, ...": "chineseCounting",
    "①, ②, ③, ...": "decimalEnclosedCircle",
    "甲, 乙, 丙, ...": "ideographTraditional",
}


class Labels:
    """Counts the items of lists by the styles of a document."""

    def __init__(self, roots: Iterable[Any]) -> None:
        self._lists: dict[str, dict[int, Any]] = {}
        self._outline: dict[int, Any] = {}
        self._headings = [0] * LEVELS
        self._last: dict[tuple[str, int], int] = {}
        for root in roots:
            for style in root.iter(f"{TEXT}list-style"):
                self._lists.setdefault(style.get(f"{STYLE}name", ""), _levels(style))
            for style in root.iter(f"{TEXT}outline-style"):
                self._outline = self._outline or _levels(style)

    def item(self, style: str, level: int, number: int) -> str:
        """The label of the item with this number in its list, counted from 0: "-" where it has a bullet."""
        found = self._lists.get(style, {}).get(level)
        if found is None or not found.tag.endswith("number") or not found.get(f"{STYLE}num-format"):
            return "-"
        start = found.get(f"{TEXT}start-value", "1")
        shown = _numeral((int(start) if start.isdecimal() else 1) + number, found)
        return f"{found.get(f'{STYLE}num-prefix', '')}{shown}{found.get(f'{STYLE}num-suffix', '')}".strip()

    def heading(self, level: int) -> str:
        """The number of the next heading of this level, "" where headings have none."""
        self._headings[level - 1] += 1
        self._headings[level:] = [0] * (LEVELS - level)
        style = self._outline.get(level)
        if style is None or not style.get(f"{STYLE}num-format"):
            return ""
        shown = style.get(f"{TEXT}display-levels", "1")
        first = max(1, level + 1 - (int(shown) if shown.isdecimal() else 1))
        parts = [_numeral(max(self._headings[place - 1], 1), self._outline[place]) for place in range(first, level + 1)]
        number = ".".join(filter(None, parts))
        return f"{style.get(f'{STYLE}num-prefix', '')}{number}{style.get(f'{STYLE}num-suffix', '')}".strip()


def _levels(style: Any) -> dict[int, Any]:
    found = {}
    for level in style:
        number = level.get(f"{TEXT}level", "")
        if number.isdecimal() and 1 <= int(number) <= LEVELS:
            found[int(number)] = level
    return found


def _numeral(number: int, style: Any) -> str:
    kind = style.get(f"{STYLE}num-format", "")
    return numeral(number, _KINDS.get(kind, "decimal")) if kind else ""
