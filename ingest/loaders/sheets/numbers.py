"""Numbers, dates and times as a spreadsheet shows them, but dates in ISO form, which reads the same everywhere.

Number formats are those of ECMA-376 part 1, 18.8.31: sections for positive, negative and zero, digits, literals in quotes.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

_TOKEN = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|([eE][+-][0#?]+)|([0#?.,]+)|(%)|(.)', re.DOTALL)
_DATE_CODE = re.compile(r"[dmyhsbeg]", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General', re.DOTALL | re.IGNORECASE)
_MOST_PLACES = 15


class _Section(NamedTuple):
    """One section of a format: what stands around the digits, and how these are written."""

    before: str
    after: str
    places: str
    grouped: bool
    scale: int
    exponent: bool


def shown(value: object, number_format: str = "General") -> str:
    """A cell's value as it is shown, "" for none; text is itself."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value)
    return str(value)


def plain(value: int | float) -> str:
    """A number with at most the 15 digits that spreadsheets keep, without an exponent up to 21 places."""
    if isinstance(value, float) and isfinite(value):
        text = f"{value:.15g}"
        if "e" in text and 1e-7 <= abs(value) < 1e21:
            text = f"{Decimal(text):f}"
        return text.removeprefix("-") if text in ("-0", "0") else text
    return str(value)


def _moment(value: datetime | date | time | timedelta) -> str:
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, datetime):
        value = (value + timedelta(microseconds=500_000)).replace(microsecond=0, tzinfo=None)
        return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d} {_clock(value.time())}"
    return value.isoformat() if isinstance(value, date) else _clock(value)


def _clock(value: time) -> str:
    return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"


def _number(value: int | float, number_format: str) -> str:
    if number_format in ("General", "@", "") or not isfinite(value):
        return plain(value)
    sections = _sections(number_format)
    section = sections[0]
    if value < 0 and len(sections) > 1:
        section, value = sections[1], -value
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    if section is None:
        return plain(value)
    return _written(value, section)


def _written(value: int | float, section: _Section) -> str:
    if not section.places.strip("."):
        return f"{section.before}{section.after}".strip() or plain(value)
    scaled = Decimal(plain(value)).scaleb(section.scale)
    whole, _, fraction = section.places.partition(".")
    decimals = min(len(fraction), _MOST_PLACES)
    if section.exponent:
        digits = f"{scaled:.{decimals}E}"
    else:
        digits = f"{abs(scaled):{',' if section.grouped else ''}.{decimals}f}"
        kept = len(digits) - max(0, decimals - fraction.rfind("0") - 1)  # a place # shows no zero at the end
        digits = (digits[:kept] + digits[kept:].rstrip("0")).removesuffix(".")
        if not section.grouped:
            digits = digits.zfill(whole.count("0") + len(digits) - len(digits.partition(".")[0]))
        if "0" not in section.places and not digits.strip("0."):
            digits = ""
    sign = "-" if scaled < 0 and digits.strip("0.,") and not section.exponent else ""
    return f"{sign}{section.before}{digits}{section.after}".strip()


@lru_cache(maxsize=1024)
def _sections(number_format: str) -> tuple[_Section | None, ...]:
    parts = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', number_format)
    return tuple(_section(part) for part in parts[:3])


def _section(part: str) -> _Section | None:
    """None for a section that is not for digits as such: General, text, a date, a fraction, signs between the digits."""
    bare = _LITERAL.sub("", part)
    if (
        "/" in bare
        or "@" in bare
        or _DATE_CODE.search(re.sub(r"[eE][+-]", "", bare))
        or re.search("General", part, re.IGNORECASE)
    ):
        return None
    before, after, digits, exponent, percent = "", "", "", False, 0
    for quoted, escaped, currency, power, places, percent_sign, other in _TOKEN.findall(part):
        if places and not exponent:
            if after:
                return None
            digits += places
        exponent = exponent or bool(power)
        percent += 2 if percent_sign else 0
        literal = quoted or escaped or currency or percent_sign or other
        before, after = (before, after + literal) if digits else (before + literal, after)
    whole, _, fraction = digits.partition(".")
    thousands = len(digits) - len(digits.rstrip(","))
    places = f"{whole.replace(',', '')}.{fraction.replace(',', '').replace('.', '')}"
    return _Section(before, after, places, grouped="," in whole.rstrip(","), scale=percent - 3 * thousands, exponent=exponent)
