"""Numbers as the labels of lists write them (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN = ("m 1000", "cm 900", "d 500", "cd 400", "c 100", "xc 90", "l 50", "xl 40", "x 10", "ix 9", "v 5", "iv 4", "i 1")
_DIGITS = "零一二三四五六七八九"
_FORMAL_DIGITS = "零壹贰叁肆伍陆柒捌玖"
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_COUNTING = (
    "chineseCounting chineseCountingThousand japaneseCounting taiwaneseCounting taiwaneseCountingThousand ideographDigital "
    "koreanCounting japaneseDigitalTenThousand taiwaneseDigital"
).split()
_FORMAL = ("chineseLegalSimplified", "japaneseLegal", "ideographLegalTraditional")


def numeral(number: int, kind: str) -> str:
    """The number in a format of Word's numFmt; in Arabic digits where it has no sign in that or it is not known; "" for none."""
    if kind in ("none", "bullet"):
        return ""
    known = _FORMATS.get(kind)
    return known[1](number) if known and 0 < number < known[0] else str(number)


def _roman(number: int) -> str:
    found = ""
    for letters, value in map(str.split, _ROMAN):
        count, number = divmod(number, int(value))
        found += letters * count
    return found


def _letters(number: int) -> str:
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _chinese(number: int, digits: str, units: str) -> str:
    """Below ten thousand: 十, 十一, 二十, 一百零一, 一百一十."""
    found, gap = "", False
    for place, digit in enumerate(str(number)):
        power = len(str(number)) - 1 - place
        if digit == "0":
            gap = bool(found)
            continue
        found += (digits[0] if gap else "") + digits[int(digit)] + (units[power - 1] if power else "")
        gap = False
    return found[1:] if found.startswith(digits[1] + units[0]) and digits == _DIGITS else found


_FORMATS: dict[str, tuple[int, Callable[[int], str]]] = {
    **dict.fromkeys(_COUNTING, (10_000, lambda number: _chinese(number, _DIGITS, "十百千"))),
    **dict.fromkeys(_FORMAL, (10_000, lambda number: _chinese(number, _FORMAL_DIGITS, "拾佰仟"))),
    "lowerRoman": (4000, _roman),
    "upperRoman": (4000, lambda number: _roman(number).upper()),
    "lowerLetter": (781, _letters),
    "upperLetter": (781, lambda number: _letters(number).upper()),
    "decimalZero": (10, lambda number: f"{number:02}"),
    "ideographTraditional": (11, lambda number: _STEMS[number - 1]),
    "ideographZodiac": (13, lambda number: _BRANCHES[number - 1]),
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), (21, lambda number: chr(ord("①") + number - 1))),
}
"""Up to which number a format goes, exclusive, and how it writes one."""
