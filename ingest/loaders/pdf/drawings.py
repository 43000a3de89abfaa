"""What is drawn on a PDF page: the lines of its tables, and how much of it pictures cover."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from itertools import groupby

import pypdfium2
from pypdfium2 import raw

from ingest.loaders.layout.runs import Rule

_THIN = 3.0
_SHORT = 8.0
_MOST_OBJECTS = 4000  # more is a drawing, not a table
_MOST_SEGMENTS = 64
_WHITE = 250
_DEPTH = 3


def rules_of(page: pypdfium2.PdfPage, left: float, top: float) -> list[Rule]:
    """The horizontal and vertical lines of a page, those that go on joined; [] for a page full of drawings."""
    found: list[Rule] = []
    for number, shape in enumerate(page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=_DEPTH)):
        if number >= _MOST_OBJECTS:
            return []
        found.extend(_rules_of_shape(shape, left, top))
    return [*_joined(rule for rule in found if rule.horizontal), *_joined(rule for rule in found if not rule.horizontal)]


def picture_share(page: pypdfium2.PdfPage) -> float:
    """How much of the page its pictures cover, 0 to 1."""
    wide, high = page.get_size()
    area = 0.0
    for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=_DEPTH):
        x0, y0, x1, y1 = picture.get_bounds()
        area += max(x1 - x0, 0) * max(y1 - y0, 0)
    return float(min(area / max(wide * high, 1.0), 1.0))


def has_drawings(page: pypdfium2.PdfPage) -> bool:
    """Whether anything but text is on the page."""
    return any(shape.type != raw.FPDF_PAGEOBJ_TEXT for shape in page.get_objects(max_depth=_DEPTH))


def _rules_of_shape(shape: pypdfium2.PdfObject, left: float, top: float) -> Iterator[Rule]:
    if not _is_drawn(shape):
        return
    x0, y0, x1, y1 = shape.get_bounds()
    wide, high = x1 - x0, y1 - y0
    if high <= _THIN and wide >= _SHORT:
        yield Rule(x0 - left, top - (y0 + y1) / 2, x1 - left, top - (y0 + y1) / 2)
    elif wide <= _THIN and high >= _SHORT:
        yield Rule((x0 + x1) / 2 - left, top - y1, (x0 + x1) / 2 - left, top - y0)
    elif raw.FPDFPath_CountSegments(shape) <= _MOST_SEGMENTS:
        yield from _sides(shape, left, top)


def _is_drawn(shape: pypdfium2.PdfObject) -> bool:
    """Whether it has lines, or a fill that is seen on white."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFPath_GetDrawMode(shape, fill, stroke):
        return False
    if stroke.value or not fill.value:
        return bool(stroke.value)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(shape, red, green, blue, alpha):
        return False
    return alpha.value > 0 and min(red.value, green.value, blue.value) < _WHITE


def _sides(shape: pypdfium2.PdfObject, left: float, top: float) -> Iterator[Rule]:
    """The level and the upright straight lines of a path."""
    matrix = shape.get_matrix()
    start = here = (0.0, 0.0)
    for number in range(raw.FPDFPath_CountSegments(shape)):
        segment = raw.FPDFPath_GetPathSegment(shape, number)
        x, y = ctypes.c_float(), ctypes.c_float()
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        there = matrix.on_point(x.value, y.value)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = there
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield from _straight(here, there, left, top)
        if raw.FPDFPathSegment_GetClose(segment):
            yield from _straight(there, start, left, top)
        here = there


def _straight(a: tuple[float, float], b: tuple[float, float], left: float, top: float) -> Iterator[Rule]:
    wide, high = abs(a[0] - b[0]), abs(a[1] - b[1])
    if (high < 1 and wide >= _SHORT) or (wide < 1 and high >= _SHORT):
        x0, x1 = min(a[0], b[0]) - left, max(a[0], b[0]) - left
        y0, y1 = top - max(a[1], b[1]), top - min(a[1], b[1])
        yield Rule(x0, y0, x1, y0) if wide > high else Rule(x0, y0, x0, y1)


def _joined(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Lines on one line that touch, as one."""
    ordered = sorted(set(rules), key=lambda rule: (_line(rule), rule.x0, rule.top))
    for _, group in groupby(ordered, key=_line):
        current: Rule | None = None
        for rule in group:
            if current and rule.x0 <= current.x1 + _THIN and rule.top <= current.bottom + _THIN:
                current = Rule(current.x0, current.top, max(current.x1, rule.x1), max(current.bottom, rule.bottom))
                continue
            if current:
                yield current
            current = rule
        if current:
            yield current


def _line(rule: Rule) -> int:
    return round((rule.top if rule.horizontal else rule.x0) / 2)
