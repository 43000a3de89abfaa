"""Dates and times of day in English and Chinese: 5 March 2020, 2020-03-05, 二〇二〇年三月五日; 3:30 pm, 下午三点半."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from chains.grounding.numerals import CHINESE, chinese_value

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = rf"({'|'.join(_MONTHS)}|{'|'.join(f'{month[:3]}' for month in _MONTHS)}|sept)\.?"
_NUMBER = rf"(\d{{1,2}}|{CHINESE})"
_YEAR = rf"(\d{{4}}|{CHINESE})"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_EITHER = (4, 1, 3)
"""The groups of 05/01/2024: some write the month first, others the day."""
_PATTERNS = [
    (re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)"), (1, 3, 4)),
    (re.compile(r"(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)"), (1, 2, 3)),
    (re.compile(r"(?<![\d./])(0?[1-9]|[12]\d|3[01])([./])(0?[1-9]|[12]\d|3[01])\2((?:19|20)\d{2})(?!\d|[./]\d)"), _EITHER),
    (re.compile(rf"(?:{_YEAR}\s*年\s*)?{_NUMBER}\s*月(?:\s*{_NUMBER}\s*[日号])?"), (1, 2, 3)),
    (re.compile(rf"\b{_MONTH}\s+{_DAY}(?:,?\s+(\d{{4}}))?(?!\d)", re.IGNORECASE), (3, 1, 2)),
    (re.compile(rf"(?<!\d){_DAY}\s+(?:of\s+)?{_MONTH}\b(?:,?\s+(\d{{4}}))?(?!\d)", re.IGNORECASE), (3, 2, 1)),
    (re.compile(rf"\b{_MONTH},?\s+(\d{{4}})(?!\d)", re.IGNORECASE), (2, 1, 0)),
    (re.compile(r"\b(January|February|April|June|July|August|September|October|November|December)\b"), (0, 1, 0)),
    (re.compile(r"\b(?:in|since|until|by|of|last|next|from|to|and|early|late|mid)[ -](March|May)\b"), (0, 1, 0)),
]
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2})(?::(\d{2})(?::\d{2})?(?:\s*([ap])\.?m\b\.?)?|\s*([ap])\.?m\b\.?)(?![\d:])", re.IGNORECASE
)
_PARTS = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_CHINESE_CLOCK = re.compile(
    rf"({_PARTS})?{_NUMBER}[点时](?:(半)|(一刻)|(三刻)|{_NUMBER}分|(钟|整))?(?![零〇一二三四五六七八九]*[个条项])"
)
_AFTER_NOON = {"中午", "下午", "傍晚", "晚上", "夜里"}


class Date(NamedTuple):
    """A day or a month by its place in the text; None for what is not said."""

    start: int
    end: int
    year: int | None
    month: int
    day: int | None
    either: bool = False
    """Month and day may be the other way round."""

    def readings(self) -> set[tuple[int, int | None]]:
        """Month and day, in the order or orders in which they can be read."""
        return {(self.month, self.day), (self.day, self.month)} if self.either and self.day else {(self.month, self.day)}


class Time(NamedTuple):
    """A time of day in minutes since midnight; of the first twelve hours where `half` says that am or pm is not told."""

    start: int
    end: int
    minutes: int
    half: bool


def dates(text: str) -> list[Date]:
    """The dates of a `plain` text; what a longer one holds is no date of its own."""
    found: list[Date] = []
    for pattern, groups in _PATTERNS:
        for match in pattern.finditer(text):
            if any(date.start < match.end() and match.start() < date.end for date in found):
                continue
            year, month, day = (_number(match[group]) if group else None for group in groups)
            if groups is _EITHER and month and day and month > 12:
                month, day = day, month
            if month and 1 <= month <= 12 and (day is None or 1 <= day <= 31):
                either = groups is _EITHER and day is not None and day <= 12
                found.append(Date(match.start(), match.end(), year, month, day, either))
    return sorted(found)


def times(text: str) -> list[Time]:
    """The times of day of a `plain` text; 三点 alone may be three points, and is none."""
    return sorted([*_clock(text), *_chinese_clock(text)])


def date_stands(claim: Date, known: Collection[Date], years: Collection[float]) -> bool:
    """Whether one of the known dates says all that the claim says; a year may stand elsewhere among the `years`."""
    return any(
        any(
            month == known_month and day in (None, known_day)
            for month, day in claim.readings()
            for known_month, known_day in each.readings()
        )
        and (claim.year in (None, each.year) or (each.year is None and claim.year in years))
        for each in known
    )


def time_stands(claim: Time, known: Collection[Time]) -> bool:
    """Whether one of the known times is the same, as far as both tell."""
    return any(
        each.minutes % 720 == claim.minutes % 720 and (each.half or claim.half or each.minutes == claim.minutes) for each in known
    )


def _clock(text: str) -> Iterator[Time]:
    for match in _CLOCK.finditer(text):
        hour, minute, letter = int(match[1]), int(match[2] or 0), (match[3] or match[4] or "").lower()
        if hour < 24 and minute < 60:
            hour = hour % 12 + (12 if letter == "p" else 0) if letter else hour
            yield Time(match.start(), match.end(), 60 * hour + minute, half=not letter and 1 <= hour <= 12)


def _chinese_clock(text: str) -> Iterator[Time]:
    for match in _CHINESE_CLOCK.finditer(text):
        part, hour, minute = match[1], _number(match[2]), _number(match[6]) if match[6] else 0
        if not (part or any(match.groups()[2:])) or hour is None or hour > 24 or minute is None or minute > 59:
            continue
        minute += 30 if match[3] else 15 if match[4] else 45 if match[5] else 0
        hour = hour % 12 + 12 if part in _AFTER_NOON and hour <= 12 else hour % 24
        yield Time(match.start(), match.end(), 60 * hour + minute, half=part is None and 1 <= hour <= 12)


def _number(written: str | None) -> int | None:
    if not written:
        return None
    if written.isascii():
        return int(written) if written.isdigit() else _month(written)
    value = chinese_value(written)
    return int(value) if value is not None else None


def _month(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, start=1) if month[:3] == name[:3].lower())
