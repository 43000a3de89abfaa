"""Abbreviations that a text explains itself: "Virtual Reality (VR)", "VR (Virtual Reality)", 虚拟现实（VR）, 北京大学（北大）.

English by Schwartz and Hearst (2003, "A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text"): the short
form's characters must be found from right to left in the words before it, the first one at the beginning of a word. In Chinese
the same holds for Chinese short forms; a Latin one stands for the run of characters before it, as far as that looks like a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from language.script import CJK_RUN

LONGEST_SHORT, LONGEST_CHINESE = 10, 12

_BRACKETS = re.compile(r"[(（]([^()（）\n]{2,120})[)）]")
_SHORT = re.compile(r"[A-Za-z0-9][\w.&/+-]{0,8}[\w+]")
_TOKEN_BEFORE = re.compile(r"([A-Za-z0-9][\w.&/+-]{0,8}[\w+])\s*$")
_CALLED = re.compile(r"^(?:以下)?(?:简称|下称|缩写为?|又称|也称|又叫|亦称|英文名?|英文简称|即|全称)[:：为]?\s*[“\"「]?|[”\"」]$")
_PART = re.compile(r"\s*[,，、;；:：]\s*|\s+(?:or|also|formerly)\s+")
_CHINESE_BEFORE = re.compile(rf"(?:[“「《\"]({CJK_RUN.pattern})[”」》\"]|({CJK_RUN.pattern}))\s*$")
_JOINT = re.compile(
    r".*(?:使用|采用|利用|通过|基于|包括|包含|例如|比如|关于|以及|或者|属于|成为|称为|叫做|进行|提供|支持(?!向量)|实现|介绍|我们|他们|这个"
    r"|这一|那一|一种|一个|所谓|(?<![目标])的|是(?!否)|(?<![存潜内外现])在(?![线职岗])|(?<![共饱中亲])和(?![平谐声])|(?<!参)与|及(?!时)|或|(?<![行作人])为"
    r"|了(?!解)|把(?![手关])|将(?!来)|被(?!动)|(?<![专通公应信费常民商军农作家适实复备两])用(?![户水电途品])|(?<![相绝])对(?![象称话比抗照接等])|从(?![业属])"
    r"|(?<![面定双单方导横纵])向(?![量导])|(?<![自理])由|以(?![太内外])|(?<![高中平同对])等(?![级离式温])|(?<!端)到(?!端)|其|该)"
)
"""What stands before a name rather than in it; of single characters only where they are no part of a common word, such as the 用
of 专用 in 虚拟专用网络, or the 向 of 向量."""


class Pair(NamedTuple):
    """A short form and what it stands for."""

    short: str
    long: str


def pairs_in(text: str) -> Iterator[Pair]:
    """The pairs that the text explains, in order."""
    for match in _BRACKETS.finditer(text):
        before = text[max(0, match.start() - 160) : match.start()]
        yield from _pairs(before, [_CALLED.sub("", part.strip()) for part in _PART.split(match[1].strip())])


def _pairs(before: str, parts: list[str]) -> Iterator[Pair]:
    shorts = [part for part in parts if is_short(part)]
    chinese = _chinese_name(before)
    for short in shorts[:1]:
        long = best_long_form(short, _words_before(before, short))
        if long:
            yield Pair(short, long)
        elif chinese:
            yield Pair(short, chinese)
        yield from (Pair(short, part) for part in parts if part != short and best_long_form(short, part) == part)
    if shorts:
        return
    token = _TOKEN_BEFORE.search(before)
    if token and is_short(token[1]):
        short = token[1]
        yield from (Pair(short, part) for part in parts if best_long_form(short, part) == part)
        yield from (Pair(short, part) for part in parts if CJK_RUN.fullmatch(part) and 2 <= len(part) <= LONGEST_CHINESE)
    elif chinese:
        yield from _chinese_pairs(before, parts)


def is_short(text: str) -> bool:
    """Whether the text looks like an abbreviation: 2 to 10 characters, no blanks, capitals for half of its letters at least."""
    letters = [c for c in text if c.isalpha() and c.isascii()]
    return (
        _SHORT.fullmatch(text) is not None
        and len(text) <= LONGEST_SHORT
        and any(c.isupper() or c.isdigit() for c in text[1:])  # not Is and We at the beginning of a sentence
        and any(c.isupper() for c in letters)
        and sum(c.isupper() for c in letters) * 2 >= len(letters) == sum(c.isalpha() for c in text)
    )


def best_long_form(short: str, before: str) -> str | None:
    """The shortest end of `before` that the short form abbreviates, or None (Schwartz and Hearst's findBestLongForm)."""
    place = len(before) - 1
    lowered = before.lower()
    for number in range(len(short) - 1, -1, -1):
        character = short[number].lower()
        if not character.isalnum():
            continue
        while place >= 0 and (
            lowered[place] != character
            or (number == 0 and place > 0 and (before[place - 1].isalnum() or before[place - 1] == "-"))
        ):
            place -= 1
        if place < 0:
            return None
        place -= 1
    long = before[before.rfind(" ", 0, place + 1) + 1 :].strip()
    words = re.findall(r"[^\s-]+", long)
    within = len(words) <= min(len(short) + 5, len(short) * 2)
    return long if within and len(long) > len(short) and short not in words and long.isascii() else None


def _words_before(before: str, short: str) -> str:
    """As many words as a long form may have: min(|A| + 5, 2 |A|), in one clause."""
    clause = re.split(r"[.;:!?，。；：！？\n]\s", before.replace("\n", ". "))[-1]
    return " ".join(clause.split()[-min(len(short) + 5, len(short) * 2) :])


def _chinese_name(before: str) -> str | None:
    """The name that the run of Chinese characters before a bracket ends with: what is quoted, else what follows a joint."""
    match = _CHINESE_BEFORE.search(before)
    if not match:
        return None
    name = match[1] or _JOINT.sub("", match[2])
    return name if 2 <= len(name) <= LONGEST_CHINESE else None


def _chinese_pairs(before: str, parts: list[str]) -> Iterator[Pair]:
    """北京大学（北大）: each character of the short form in the run before, in order, from the right."""
    run = before.rstrip('》」”" ')[-LONGEST_CHINESE - 4 :]
    for part in parts:
        place = len(run)
        for character in reversed(part):
            place = run.rfind(character, 0, place)
            if place < 0:
                break
        long = run[place:]
        if place >= 0 and CJK_RUN.fullmatch(part) and CJK_RUN.fullmatch(long) and 2 <= len(part) < len(long):
            yield Pair(part, long)
