"""The labels of numbered and bulleted paragraphs, which are nowhere in the text: they are counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ingest.loaders.clean import clean
from ingest.loaders.word import W
from ingest.loaders.word.numerals import numeral

LEVELS = 9
_BULLET = "-"


@dataclass(frozen=True)
class _Level:
    start: int
    kind: str
    text: str
    legal: bool
    style: str


class Numbering:
    """Counts the paragraphs of a document's lists; ask for each label once, in the order of the text."""

    def __init__(self, root: Any) -> None:
        self._lists: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, list[int | None]] = {}
        abstract = {}
        for each in () if root is None else root.iterchildren(f"{W}abstractNum"):
            abstract[value(each, "abstractNumId")] = {
                number: level for level_of in each.iterchildren(f"{W}lvl") for number, level in [_level(level_of)]
            }
        for each in () if root is None else root.iterchildren(f"{W}num"):
            number, of = value(each, "numId"), value(each.find(f"{W}abstractNumId"))
            self._abstract[number], self._lists[number] = of, dict(abstract.get(of, {}))
            for override in each.iterchildren(f"{W}lvlOverride"):
                place = _count(value(override, "ilvl"))
                if (start := override.find(f"{W}startOverride")) is not None:
                    self._restarts.setdefault(number, {})[place] = _count(value(start), 1)
                for level_of in override.iterchildren(f"{W}lvl"):
                    self._lists[number][place] = _level(level_of)[1]

    def level_of_style(self, number: str, style: str) -> int:
        """The level that a list gives to a style of paragraphs, 0 where it names none."""
        return next((place for place, level in self._lists.get(number, {}).items() if style and level.style == style), 0)

    def label(self, number: str, place: int) -> str:
        """The label of the next paragraph of this list on this level: "-" for a bullet, "" where there is none."""
        levels = self._lists.get(number)
        if not levels or place not in levels:
            return ""
        level = levels[place]
        if level.kind == "bullet":
            return _BULLET
        counts = self._counts.setdefault(self._abstract[number], [None] * LEVELS)
        restart = self._restarts.get(number, {}).pop(place, None)
        before = counts[place]
        counts[place] = restart if restart is not None else level.start if before is None else before + 1
        counts[place + 1 :] = [None] * (LEVELS - place - 1)
        return re.sub(r"%([1-9])", lambda match: self._part(levels, counts, int(match[1]) - 1, level), level.text).strip()

    @staticmethod
    def _part(levels: dict[int, _Level], counts: list[int | None], place: int, level: _Level) -> str:
        if place not in levels:
            return ""
        counted = counts[place]
        number = levels[place].start if counted is None else counted
        return numeral(number, "decimal" if level.legal else levels[place].kind)


def value(element: Any, name: str = "val") -> str:
    """The attribute w:val, or another one, of an element; "" when either is not there."""
    return "" if element is None else str(element.get(f"{W}{name}", ""))


def is_on(element: Any) -> bool:
    """Whether a property that is switched by being there is on."""
    return element is not None and value(element) not in ("0", "false", "off")


def _count(text: str, otherwise: int = 0) -> int:
    return min(int(text), 10**6) if text.isdecimal() else otherwise


def _level(element: Any) -> tuple[int, _Level]:
    place = min(_count(value(element, "ilvl")), LEVELS - 1)
    return place, _Level(
        start=_count(value(element.find(f"{W}start")), 1 if element.find(f"{W}start") is None else 0),
        kind=value(element.find(f"{W}numFmt")) or "decimal",
        text=clean(value(element.find(f"{W}lvlText"))),
        legal=is_on(element.find(f"{W}isLgl")),
        style=value(element.find(f"{W}pStyle")),
    )
