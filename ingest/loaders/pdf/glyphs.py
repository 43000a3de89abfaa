"""The characters of a PDF page, with their boxes and the direction that they are read in, and the runs that they form."""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from ingest.loaders.clean import clean, fold_lookalikes
from ingest.loaders.layout.runs import CELL_GAP, Rule, Run

_HYPHENS = {"\x02": "-", "\ufffe": "-"}  # how pdfium gives a hyphen at a line's end
_IDEOGRAPHS = frozenset(chr(code) for a, b in ((0x3041, 0x30FF), (0x3400, 0x9FFF)) for code in range(a, b + 1))
_BOLD_WEIGHT = 600
_NO_BLANK = 0.06
_CJK_BLANK = 0.6  # of the size: pdfium guesses blanks between spaced-out ideographs
_TILTED = 4  # degrees off a quarter turn


class Glyph(NamedTuple):
    """A character in a box, y downwards. `blank` says that a blank was before it: 2 a typed one, 1 one that pdfium guessed.

    `text` is "" where the font tells none, and `unmapped` where it is only the number that the shape has in the font.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    angle: int
    weight: int
    blank: int
    place: int
    unmapped: bool = False


@dataclass(frozen=True)
class Reading:
    """The runs and rules of a page that are read in one direction, turned upright."""

    runs: tuple[Run, ...]
    rules: tuple[Rule, ...] = ()


def read_glyphs(textpage: pypdfium2.PdfTextPage, left: float, top: float) -> list[Glyph]:
    """The visible characters in the order of the content; `left` and `top` are the page's corner."""
    found: list[Glyph] = []
    box, blank, high = raw.FS_RECTF(), 0, ""
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(textpage, index)
        ch = _HYPHENS.get(chr(code), chr(code)) if 0 < code <= 0x10FFFF else ""
        if 0xD800 <= code < 0xDC00:
            high = ch
            continue
        if 0xDC00 <= code < 0xE000:
            ch = (high + ch).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        high = ""
        if ch.isspace():
            blank = max(blank, 1 if raw.FPDFText_IsGenerated(textpage, index) else 2)
            continue
        if not raw.FPDFText_GetLooseCharBox(textpage, index, box):
            continue
        angle = round(math.degrees(raw.FPDFText_GetCharAngle(textpage, index))) % 360
        weight = raw.FPDFText_GetFontWeight(textpage, index)
        edges = sorted((box.left - left, box.right - left)), sorted((top - box.top, top - box.bottom))
        unmapped = raw.FPDFText_HasUnicodeMapError(textpage, index) == 1
        found.append(Glyph(ch, edges[0][0], edges[1][0], edges[0][1], edges[1][1], angle, weight, blank, index, unmapped))
        blank = 0 if ch else blank
    return found


def readings(
    textpage: pypdfium2.PdfTextPage, glyphs: Sequence[Glyph], rules: Sequence[Rule], size: tuple[float, float]
) -> list[Reading]:
    """The page turned so that its text is upright; what is written in another direction follows, turned as well."""
    groups: dict[int, list[Glyph]] = {}
    for glyph in (glyph for glyph in glyphs if glyph.text):
        groups.setdefault(_snapped(glyph.angle), []).append(glyph)
    found: list[Reading] = []
    for angle, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        turn = 90 if angle == 0 and _is_vertical(group) else angle
        turned = [_turned(glyph, turn, size) for glyph in group]
        lines = [_turned_rule(rule, turn, size) for rule in rules] if turn % 90 == 0 and not found else []
        found.append(Reading(tuple(_runs(turned, lines, textpage)), tuple(lines)))
    return found


def _snapped(angle: int) -> int:
    """The quarter turn that an angle is near to, else the angle to five degrees."""
    quarter = round(angle / 90) * 90
    return quarter % 360 if abs(angle - quarter) <= _TILTED else round(angle / 5) * 5 % 360


def _is_vertical(glyphs: Sequence[Glyph]) -> bool:
    """Whether ideographs follow each other downwards."""
    down = along = 0
    for before, after in pairwise(glyphs):
        if before.text in _IDEOGRAPHS and after.text in _IDEOGRAPHS:
            size = max(before.bottom - before.top, 1.0)
            same_column = abs(before.x0 + before.x1 - after.x0 - after.x1) < 0.4 * size
            down += same_column and 0.5 * size < after.top - before.top < 2 * size
            along += abs(before.top - after.top) < 0.3 * size
    return down > 2 * along


def _turned(glyph: Glyph, turn: int, size: tuple[float, float]) -> Glyph:
    if turn == 0:
        return glyph
    if turn % 90:
        return _untilted(glyph, turn)
    xs = [_turned_point(x, y, turn, size) for x, y in ((glyph.x0, glyph.top), (glyph.x1, glyph.bottom))]
    (a, b), (c, d) = xs
    return glyph._replace(x0=min(a, c), top=min(b, d), x1=max(a, c), bottom=max(b, d))


def _turned_point(x: float, y: float, turn: int, size: tuple[float, float]) -> tuple[float, float]:
    """A place after the page was turned so that text at an angle of `turn`, clockwise as pdfium counts, is upright."""
    wide, high = size
    return {0: (x, y), 90: (y, wide - x), 180: (wide - x, high - y), 270: (high - y, x)}[turn]


def _turned_rule(rule: Rule, turn: int, size: tuple[float, float]) -> Rule:
    (a, b), (c, d) = (_turned_point(x, y, turn, size) for x, y in ((rule.x0, rule.top), (rule.x1, rule.bottom)))
    return Rule(min(a, c), min(b, d), max(a, c), max(b, d))


def _untilted(glyph: Glyph, turn: int) -> Glyph:
    """A glyph of slanting text (a watermark) in a box of about its size around its turned middle."""
    slope = math.radians(turn)
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
    half = (glyph.x1 - glyph.x0 + glyph.bottom - glyph.top) / (abs(math.sin(slope)) + abs(math.cos(slope))) / 4
    across, down = x * math.cos(slope) + y * math.sin(slope), y * math.cos(slope) - x * math.sin(slope)
    return glyph._replace(x0=across - half / 2, x1=across + half / 2, top=down - half, bottom=down + half)


def _runs(glyphs: Sequence[Glyph], rules: Sequence[Rule], textpage: pypdfium2.PdfTextPage) -> Iterator[Run]:
    walls = sorted((rule.x0, rule.top, rule.bottom) for rule in rules if not rule.horizontal)
    current: list[Glyph] = []
    for glyph in glyphs:
        if current and _parts(current[-1], glyph, walls):
            yield _run(current, textpage)
            current = []
        current.append(glyph)
    if current:
        yield _run(current, textpage)


def _parts(before: Glyph, after: Glyph, walls: Sequence[tuple[float, float, float]]) -> bool:
    low = min(before.bottom - before.top, after.bottom - after.top)
    if min(before.bottom, after.bottom) - max(before.top, after.top) < 0.5 * low:
        return True
    distance = max(after.x0 - before.x1, before.x0 - after.x1)
    if distance > CELL_GAP * low:
        return True
    a, b = (before.x0 + before.x1) / 2, (after.x0 + after.x1) / 2
    middle = (after.top + after.bottom) / 2
    place = bisect_left(walls, (min(a, b),))
    while place < len(walls) and walls[place][0] < max(a, b):
        if walls[place][1] <= middle <= walls[place][2]:
            return True
        place += 1
    return False


def _run(glyphs: Sequence[Glyph], textpage: pypdfium2.PdfTextPage) -> Run:
    text = glyphs[0].text
    for before, after in pairwise(glyphs):
        text += _blank(before, after) + after.text
    size = Counter(round(glyph.bottom - glyph.top, 1) for glyph in glyphs).most_common(1)[0][0]
    return Run(
        fold_lookalikes(clean(text)),
        min(glyph.x0 for glyph in glyphs),
        min(glyph.top for glyph in glyphs),
        max(glyph.x1 for glyph in glyphs),
        max(glyph.bottom for glyph in glyphs),
        size,
        _is_bold(glyphs, textpage),
    )


def _blank(before: Glyph, after: Glyph) -> str:
    if not after.blank:
        return ""
    gap = max(after.x0 - before.x1, before.x0 - after.x1) / max(after.bottom - after.top, 1.0)
    if after.blank == 1 and gap < _CJK_BLANK and _is_cjk(before.text) and _is_cjk(after.text):
        return ""
    if after.blank == 1 and gap < _NO_BLANK and not (before.text.isalpha() and after.text.isalpha()):
        return ""  # before a raised mark
    return " "


def _is_cjk(text: str) -> bool:
    return text in _IDEOGRAPHS


def _is_bold(glyphs: Sequence[Glyph], textpage: pypdfium2.PdfTextPage) -> bool:
    """By weight, or by the font's name, since many fonts tell no weight."""
    if glyphs[0].weight >= _BOLD_WEIGHT:
        return True
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(textpage, glyphs[0].place, buffer, 128, flags)
    return any(word in buffer.value.lower() for word in (b"bold", b"heavy", b"black", b"simhei"))
