"""What a text says in numbers: amounts with units, dates and times; and whether what an answer says stands in its sources.

An amount is the same in other words and other units: 30 % is thirty percent and 三成, 1 km is 1000 米. What is rounded counts, as
long as two digits remain: 1.2 million for 1,234,567.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chains.grounding.dates import Date, Time, date_stands, dates, time_stands, times
from chains.grounding.fractions import loose_parts, written_parts
from chains.grounding.numerals import CHINESE, Numeral, numerals, plain
from chains.grounding.units import AFTER, BEFORE

_PER_HUNDRED = re.compile(f"百分之({CHINESE}(?:点{CHINESE})?|\\d+(?:\\.\\d+)?)")
_TENTHS = re.compile(r"([一二两三四五六七八九]|\d(?:\.\d)?)成(?![为立就员本功果长])")
_DECADE = re.compile(f"(?:(\\d{{1,2}}|{CHINESE})\\s*世纪\\s*)?(\\d{{2}}|{CHINESE})\\s*年代")
_ROMAN = re.compile(r"(?<![A-Za-z])(?=[IVXLC]{2,})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![A-Za-z])")
_ROMAN_SIGNS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_PARTS_OF = re.compile(f"({CHINESE}|\\d+)分之({CHINESE}|\\d+)")
_COUNTED = re.compile(
    r"\s*(?:[个名位人种项件次家所座条张只台辆支门层岁级页章节步点款套份队场局届轮倍号本间棵颗匹扇封幅栋艘架部双对副杯瓶盒箱篇首枚株头块]|年|月|日|天|周|小时|分钟|秒|元|块|米|公里|公斤|吨|克|%)"
)
"""What follows a Chinese number of one sign where it counts something; without it, it may be a part of a word (三明治)."""
_BEFORE_ALONE = re.compile(r"(?:^|[是为有共计达到约近第至:：，,。\s])$")
_BEHIND_ALONE = re.compile(r"\s*(?:$|[。，,；;！!？?、）)])")
_ONLY = re.compile(r"(?:\b(?:only|just|exactly)\s+|[只仅共]有?|恰好|正好)$", re.IGNORECASE)
"""In front of a one that counts: in other places it is a pronoun or an article."""
_NO_NUMBERS = frozenset(["万一", "千万", "十分", "百般", "千百"])
_ORDER = (("一", "1", "first"), ("二", "2", "second"), ("三", "3", "third"), ("四", "4", "fourth"))
_QUARTER = re.compile(r"第?([一二三四1-4])季度|\b(first|second|third|fourth) quarter\b", re.IGNORECASE)
_BELOW_ZERO = re.compile(r"(?:(?<![A-Za-z0-9.,)])[-−–]|\bminus\s+|\bnegative\s+|零下|负)\s*$", re.IGNORECASE)
_MILLIONS = re.compile(r"m(?![A-Za-z])")
_STEP_SIGNS = set("十百千万亿拾佰仟萬億")
_SCALES = _STEP_SIGNS - set("十拾")
_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]+[A-Za-z0-9]*[-_/.]?\d[A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*|\d+[A-Za-z]+\d*)(?![A-Za-z0-9])"
)
_SCALED = re.compile(r"\d+(?:s|st|nd|rd|th|k|m|bn|mn|km|cm|mm|kg|g|kb|mb|gb|tb|ft|am|pm|h|min)", re.IGNORECASE)
_HEDGE = re.compile(r"\b(?:about|around|approximately|roughly|nearly|almost|some|over|under|more than|less than|up to)\b"
                    r"|约|大概|左右|近|超过|将近|不到|多(?=[年天人个元])|余(?=[年天人个元])", re.IGNORECASE)  # fmt: skip
_SUMMED = re.compile(r"=|\b(?:total|sum|difference|altogether|combined|in all|average)\b|[共总]|合计|相差|平均", re.IGNORECASE)


@dataclass(frozen=True)
class Amount:
    """A number with what it counts, as a kind of unit in which it is `value * factor`; "" where no unit is known."""

    start: int
    end: int
    value: float
    kind: str = ""
    factor: float = 1.0


@dataclass(frozen=True)
class Quantities:
    """All that a text says in numbers, and its codes, such as GPT-4, in small letters without hyphens."""

    amounts: tuple[Amount, ...]
    dates: tuple[Date, ...]
    times: tuple[Time, ...]
    codes: frozenset[str]

    def plus(self, other: Quantities) -> Quantities:
        """Those of both."""
        return Quantities(
            self.amounts + other.amounts, self.dates + other.dates, self.times + other.times, self.codes | other.codes
        )


@dataclass(frozen=True)
class Claim:
    """A number, date, time or code of an answer's sentence, by its place there."""

    kind: str
    start: int
    end: int
    said: Amount | Date | Time | str


def quantities(text: str) -> Quantities:
    """Whatever may be read as a number in a source: a year within a date counts by itself too."""
    text = plain(text)
    return Quantities(
        (*_amounts(text), *_roman(text), *(_with_unit(text, Numeral(*part)) for part in loose_parts(text))),
        tuple(dates(text)),
        tuple(times(text)),
        frozenset([*(_bare(m[0]) for m in _CODE.finditer(text)), *_quarters(text)]),
    )


def claims(text: str) -> list[Claim]:
    """What a sentence of an answer says in numbers; "one of them" and numbers within words are nothing to check."""
    text = plain(text)
    found: list[Claim] = []
    days: list[Date | Time] = [*dates(text), *times(text)]
    for each in days:
        if not _overlaps(each.start, each.end, found):
            found.append(Claim("date" if isinstance(each, Date) else "time", each.start, each.end, each))
    for match in _CODE.finditer(text):
        if not _SCALED.fullmatch(match[0]) and not _overlaps(match.start(), match.end(), found):
            found.append(Claim("code", match.start(), match.end(), _bare(match[0])))
    for amount in _amounts(text):
        if not _overlaps(amount.start, amount.end, found) and _counts(text, amount):
            found.append(Claim("number", amount.start, amount.end, amount))
    return sorted(found, key=lambda claim: claim.start)


def without_numerals(text: str, said: Sequence[Claim]) -> str:
    """The text with a blank in the place of each of its claims' numbers in words: what is counted, without how many."""
    shown = list(text)
    for number in numerals(plain(text)):
        if number.worded and _overlaps(number.start, number.end, said):
            shown[number.start : number.end] = " " * (number.end - number.start)
    return "".join(shown)


def stands(claim: Claim, known: Quantities, sentence: str) -> bool:
    """Whether the sources say the same; or the sentence itself shows how it comes to it, by counting or adding up."""
    said = claim.said
    if isinstance(said, str):
        return said in known.codes
    if isinstance(said, Date):
        return date_stands(said, known.dates, [amount.value for amount in known.amounts])
    if isinstance(said, Time):
        return time_stands(said, known.times)
    sentence = plain(sentence)
    hedged = bool(_HEDGE.search(sentence))
    return any(same(said, each, hedged=hedged) for each in known.amounts) or _shown(said, sentence)


def same(claim: Amount, source: Amount, *, hedged: bool = False) -> bool:
    """Whether two amounts are the same, or the claim is the source rounded to at least two digits (one, where it is hedged)."""
    if {claim.kind, source.kind} == {"percent", ""} and _as_ratio(claim) and math.isclose(_as_ratio(claim), _as_ratio(source)):
        return True
    if claim.kind and source.kind:
        if claim.kind != source.kind:
            return False
        said, true = claim.value * claim.factor, source.value * source.factor
    else:
        said, true = claim.value, source.value
    return math.isclose(said, true, rel_tol=1e-9) or _rounded(said, true, least=1 if hedged else 2)


def _as_ratio(amount: Amount) -> float:
    """A percentage, or a number below 1, as a share: 3.5 % is 0.035; of other numbers 0."""
    if amount.kind == "percent":
        return amount.value / 100
    return amount.value if 0 < amount.value < 1 else 0.0


def _rounded(said: float, true: float, *, least: int) -> bool:
    digits = len(f"{said:.10g}".replace(".", "").split("e")[0].strip("0"))
    if said <= 0 or true <= 0 or digits < least or digits >= len(f"{true:.10g}".replace(".", "").strip("0")):
        return False
    return math.isclose(float(f"{true:.{digits - 1}e}"), said, rel_tol=1e-9)


def _shown(said: Amount, sentence: str) -> bool:
    """Whether the sentence lists as many things, or adds other numbers of its own up to this one."""
    if 2 <= said.value <= 12 and len(re.split(r"[,，、;；]|\band\b|[和与及]", sentence[said.end :])) == said.value:
        return True
    if not _SUMMED.search(sentence):
        return False
    others = [claim.said.value for claim in claims(sentence) if isinstance(claim.said, Amount) and claim.start != said.start]
    pairs = [(a, b) for n, a in enumerate(others) for b in others[n + 1 :]]
    made = [value for a, b in pairs for value in (a + b, abs(a - b), a * b, (a + b) / 2)]
    return any(math.isclose(said.value, value) for value in (*made, *([sum(others)] if others else [])))


def _amounts(text: str) -> Iterator[Amount]:
    """Amounts in the order of the text; of a fraction (百分之三十, 三成) not its parts."""
    special = [*_special(text), *_in_words(text)]
    yield from special
    taken = [(each.start, each.end) for each in special]
    for number in numerals(text):
        if not any(start < number.end and number.start < end for start, end in taken):
            yield _with_unit(text, number)


def _in_words(text: str) -> Iterator[Amount]:
    """Fractions, but for what stands in a date."""
    days = dates(text)
    for part in written_parts(text):
        if not any(day.start < part.end and part.start < day.end for day in days):
            yield _with_unit(text, Numeral(*part))


def _special(text: str) -> Iterator[Amount]:
    for match in _PER_HUNDRED.finditer(text):
        if (value := _value(match[1])) is not None:
            yield Amount(match.start(), match.end(), value, "percent")
    for match in _TENTHS.finditer(text):
        if (value := _value(match[1])) is not None:
            yield Amount(match.start(), match.end(), value * 10, "percent")
    for match in _DECADE.finditer(text):
        century, decade = _value(match[1]) if match[1] else 20.0, _value(match[2])
        if century and decade is not None and decade < 100:
            yield Amount(match.start(), match.end(), 100 * (century - 1) + decade)
    for match in _PARTS_OF.finditer(text):
        below, above = _value(match[1]), _value(match[2])
        if below and above is not None and not match[0].startswith("百分之"):
            yield Amount(match.start(), match.end(), above / below)


def _roman(text: str) -> Iterator[Amount]:
    """Numbers such as XLIX, which may stand for a number in another language."""
    for match in _ROMAN.finditer(text):
        signs = [_ROMAN_SIGNS[sign] for sign in match[0]]
        following = [*signs[1:], 0]
        value = sum(-a if a < b else a for a, b in zip(signs, following, strict=True))
        yield Amount(match.start(), match.end(), float(value))


def _quarters(text: str) -> Iterator[str]:
    """Of a year, as codes: 第三季度 and the third quarter are Q3."""
    for match in _QUARTER.finditer(text):
        yield f"q{next(n for n, names in enumerate(_ORDER, start=1) if match[match.lastindex or 0].lower() in names)}"


def _value(written: str) -> float | None:
    found = numerals(written)
    return found[0].value if found else None


def _with_unit(text: str, number: Numeral) -> Amount:
    year = re.compile(r"\s*年").match(text, number.end)
    if year and 1000 <= number.value < 3000:
        return Amount(number.start, year.end(), number.value)  # a year, not so many years
    for pattern, kind, factor in AFTER:
        if match := pattern.match(text, number.end):
            if kind in ("celsius", "fahrenheit") and (
                below := _BELOW_ZERO.search(text[max(0, number.start - 10) : number.start])
            ):
                return Amount(number.start - len(below[0]), match.end(), -number.value, kind, factor)
            return Amount(number.start, match.end(), number.value, kind, factor)
    before = text[max(0, number.start - 4) : number.start]
    for pattern, kind in BEFORE:
        if match := pattern.search(before):
            millions = _MILLIONS.match(text, number.end)  # $1.5m; of anything else, m is metres
            value, end = (number.value * 1e6, millions.end()) if millions else (number.value, number.end)
            return Amount(number.start - len(match[0]), end, value, kind)
    return Amount(number.start, number.end, number.value)


def _counts(text: str, amount: Amount) -> bool:
    """Whether it is a number that an answer can be held to."""
    written = text[amount.start : amount.end]
    if any(sign.isdigit() and sign.isascii() for sign in written):
        return not re.match(r"\s*[.)、）]\s", text[amount.end : amount.end + 3]) or text[: amount.start].strip() != ""
    if amount.value == 1 and _ONLY.search(text[: amount.start]):
        return True
    if written.isascii():  # in English words
        return amount.value not in (0, 1)
    signs = re.match(CHINESE, written)
    if written in _NO_NUMBERS:
        return False
    if amount.value > 1 and _BEFORE_ALONE.search(text[: amount.start]) and _BEHIND_ALONE.match(text, amount.end):
        return True  # 三。答案是三。排名第四。
    if signs and not set(signs[0]) - _SCALES and "分之" not in written:  # 数百 and 千年 are no numbers
        return False
    composed = bool(set(written) & _STEP_SIGNS) or len(written) >= 4
    return amount.value > 1 and bool((composed and len(written) > 1) or amount.kind or _COUNTED.match(text, amount.end))


def _bare(code: str) -> str:
    return re.sub(r"[-_/.]", "", code).lower()


def _overlaps(start: int, end: int, found: Sequence[Claim]) -> bool:
    return any(claim.start < end and start < claim.end for claim in found)
