"""Numbers as they are written: 1,000, 1.2 million, 3.5万, three hundred and twenty, 三百二十, 6½."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from language import folded

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {
    "third": "three",
    "fourth": "four",
    "fifth": "five",
    "sixth": "six",
    "seventh": "seven",
    "eighth": "eight",
    "ninth": "nine",
    "tenth": "ten",
    "eleventh": "eleven",
    "twelfth": "twelve",
    "twentieth": "twenty",
    "thirtieth": "thirty",
} | {f"{word}th": word for word in _SMALL[13:]}
_ONE = "|".join(sorted([*_WORDS, *_ORDINALS], key=len, reverse=True))
_ANY = "|".join(sorted([*_WORDS, *_ORDINALS, *_SCALES], key=len, reverse=True))
_ENGLISH = re.compile(
    rf"(?<![\w-])(?:(?:an?\s+(?={'|'.join(_SCALES)}))|(?={_ONE}))(?:(?:{_ANY})(?:\s+and\s+(?={_ONE})|[\s-]+(?={_ANY})|))+(?!\w)",
    re.IGNORECASE,
)

_DIGITS = dict(zip("零一二三四五六七八九", range(10), strict=True)) | {"〇": 0, "两": 2, "廿": 20}
_FORMAL = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟萬億兩", "一二三四五六七八九十百千万亿两")
_STEPS = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "亿": 10**8}
CHINESE = "[零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟萬億兩]+"
_CHINESE = re.compile(f"{CHINESE}(?:点[零〇一二三四五六七八九]+)?")

_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
_LATIN_SCALE = r"\s*(?:(hundred|thousand|million|billion|trillion)\b|(bn|mn)\b|([kKM])(?![A-Za-z])|([十百千万亿萬億]+))"
_ARABIC = re.compile(
    rf"(?<![\d.])(\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)([{''.join(_FRACTIONS)}])?(?:{_LATIN_SCALE})?"
)
_SHORT = {"bn": 10**9, "mn": 10**6, "k": 1000, "K": 1000, "M": 10**6}
_PLAIN = str.maketrans({chr(0xFF01 + n): chr(0x21 + n) for n in range(94)} | {"\u3000": " ", "\u2009": " ", "\u202f": " "})


class Numeral(NamedTuple):
    """A number by its place in the text; `worded` where it is written in words or Chinese signs instead of digits."""

    start: int
    end: int
    value: float
    worded: bool = False


def plain(text: str) -> str:
    """The text with full-width digits, letters and marks as ASCII, traditional characters as simplified ones; places stay."""
    return folded(text.translate(_PLAIN))


def numerals(text: str) -> list[Numeral]:
    """All numbers of a `plain` text by their place, those in words too."""
    return sorted([*_arabic(text), *_english(text), *_chinese(text)])


def chinese_value(written: str) -> float | None:
    """The value of a Chinese number such as 三百二十, 二〇〇八 or 三点五; None for what is none."""
    whole, _, decimals = written.translate(_FORMAL).partition("点")
    value = _positional(whole) if not set(whole) & {*_STEPS, *_GROUPS} else _grouped(whole)
    if value is None or not decimals:
        return value
    return value + sum((_DIGITS[sign] / 10.0**n for n, sign in enumerate(decimals, start=1)), 0.0)


def _arabic(text: str) -> Iterator[Numeral]:
    for match in _ARABIC.finditer(text):
        digits, fraction, word, short, letter, chinese = match.groups()
        value = float(digits.replace(",", "")) + _FRACTIONS.get(fraction, 0.0)
        if word or short or letter:
            value *= _SCALES.get((word or "").lower()) or _SHORT[short or letter]
        for sign in (chinese or "").translate(_FORMAL):
            value *= (_STEPS | _GROUPS)[sign]
        yield Numeral(match.start(), match.end(), value)


def _english(text: str) -> Iterator[Numeral]:
    for match in _ENGLISH.finditer(text):
        words = [_ORDINALS.get(word, word) for word in re.findall(r"[a-z]+", match[0].lower())]
        total, group = 0.0, 0.0
        for word in words:
            if word in _WORDS:
                group += _WORDS[word]
            elif word == "hundred":
                group = (group or 1) * 100
            elif word in _SCALES:
                total += (group or 1) * _SCALES[word]
                group = 0
        yield Numeral(match.start(), match.end(), total + group, worded=True)


def _chinese(text: str) -> Iterator[Numeral]:
    for match in _CHINESE.finditer(text):
        if match.start() and text[match.start() - 1].isdigit():
            continue  # the scale of a number in digits, such as 3万
        if _two_or_three(match[0]):
            for place, sign in enumerate(match[0], start=match.start()):
                yield Numeral(place, place + 1, float(_DIGITS[sign]), worded=True)
            continue
        value = chinese_value(match[0])
        if value is not None:
            yield Numeral(match.start(), match.end(), value, worded=True)


def _two_or_three(signs: str) -> bool:
    """Whether it is two numbers, as in 两三天, and not one."""
    first, *second = (_DIGITS.get(sign, 0) for sign in signs)
    return len(second) == 1 and 0 < first < 10 and second[0] == first + 1


def _positional(signs: str) -> float | None:
    return float("".join(str(_DIGITS[sign]) for sign in signs)) if signs and all(sign in _DIGITS for sign in signs) else None


def _grouped(signs: str) -> float:
    """一亿两千万 by groups of 万 and 亿; a last digit without a step counts a tenth of the step before it, as in 三万五."""
    total = group = digit = 0.0
    last = 1.0
    for sign in signs:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
            last = 1.0 if not digit else last
        elif sign in _STEPS:
            group += (digit or 1) * _STEPS[sign]
            digit, last = 0, _STEPS[sign] / 10
        else:
            below = group + digit
            total = (total + below or 1) * 10**8 if sign == "亿" else total + (below or 1) * 10**4
            group = digit = 0
            last = _GROUPS[sign] / 10
    return total + group + digit * (last if last > 1 else 1)
