"""Pictures of a PDF: what lies on a page as a picture or is drawn on it, rendered as a reader sees it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator

import pypdfium2
from PIL import Image
from pypdfium2 import raw

from ingest.loaders.pdf import PdfLoader
from ingest.loaders.pdf.opening import PDFIUM, open_pdf
from ingest.pictures.found import LONGEST_SIDE
from ingest.pictures.screen import Screen

_DPI = 200
_DEPTH = 3
_MOST_OBJECTS = 20_000
_NEAR = 4.0
"""Points between parts of one picture, such as the strips that programs cut one into."""
_SLANTED = 3
"""So many shapes with curves or slanted lines are a drawing; tables and frames have none."""
_LEAST_SHARE = 0.03
"""Of a page: a smaller drawing is an ornament."""
_WHOLE_PAGE = 0.8
_MARGIN = 6.0
_SMALL = 8.0

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points."""


def pictures_of_pdf(loader: PdfLoader, screen: Screen) -> None:
    """Show the screen each picture with its page. Raises EncryptedFile, UnreadableFile."""
    with PDFIUM:
        pdf = open_pdf(loader.name, loader.data, loader.password)
        try:
            for index in range(len(pdf)):
                try:
                    page = pdf[index]
                except pypdfium2.PdfiumError:
                    screen.miss()
                    continue
                try:
                    for picture in _on_page(page, full_of_text=index + 1 in screen.asked.text_pages):
                        screen.add(picture, index + 1)
                except pypdfium2.PdfiumError:
                    screen.miss()
                finally:
                    page.close()
        finally:
            pdf.close()


def _on_page(page: pypdfium2.PdfPage, *, full_of_text: bool) -> Iterator[Image.Image]:
    """What stands on a page, from the top down; a picture of the whole page only where the page has little text."""
    bounds: Box = page.get_bbox()
    area = max(_area(bounds), 1.0)
    for box in sorted(_joined(_boxes(page, area)), key=lambda box: (-box[3], box[0])):
        shown = _within(box, bounds)
        if shown is not None and not (full_of_text and _area(shown) >= _WHOLE_PAGE * area):
            yield _rendered(page, shown, bounds)


def _boxes(page: pypdfium2.PdfPage, area: float) -> Iterator[Box]:
    """The places of pictures, and of what is drawn with curves and slanted lines."""
    shapes: list[Box] = []
    slanted = 0
    for number, each in enumerate(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH], max_depth=_DEPTH)):
        if number >= _MOST_OBJECTS:
            break
        box: Box = each.get_bounds()
        if each.type == raw.FPDF_PAGEOBJ_IMAGE:
            yield box
        elif _area(box) < _WHOLE_PAGE * area:
            shapes.append(box)
            slanted += slanted < _SLANTED and _is_slanted(each)
    if slanted >= _SLANTED and shapes:
        drawing = _around(shapes)
        if _area(drawing) >= _LEAST_SHARE * area:
            left, bottom, right, top = drawing
            yield left - _MARGIN, bottom - _MARGIN, right + _MARGIN, top + _MARGIN


def _is_slanted(shape: pypdfium2.PdfObject) -> bool:
    """Whether a path has a curve, or a line that is neither level nor upright."""
    before: tuple[float, float] | None = None
    for number in range(min(raw.FPDFPath_CountSegments(shape), 64)):
        segment = raw.FPDFPath_GetPathSegment(shape, number)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return True
        x, y = ctypes.c_float(), ctypes.c_float()
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        here = (x.value, y.value)
        if kind == raw.FPDF_SEGMENT_LINETO and before and min(abs(here[0] - before[0]), abs(here[1] - before[1])) > 1:
            return True
        before = here
    return False


def _rendered(page: pypdfium2.PdfPage, box: Box, bounds: Box) -> Image.Image:
    """A part of the page with all that stands on it, turned as the page is."""
    left, bottom, right, top = box
    scale = min(_DPI / 72, LONGEST_SIDE / max(right - left, top - bottom, 1.0))
    crop = (left - bounds[0], bottom - bounds[1], bounds[2] - right, bounds[3] - top)
    turned = {0: crop, 90: (crop[1], crop[2], crop[3], crop[0]), 180: (*crop[2:], *crop[:2]), 270: (crop[3], *crop[:3])}
    picture: Image.Image = page.render(scale=scale, crop=turned[page.get_rotation()]).to_pil().convert("RGB")
    return picture


def _joined(boxes: Iterable[Box]) -> list[Box]:
    """Boxes that meet or nearly meet, as one."""
    found: list[Box] = []
    for box in boxes:
        if min(box[2] - box[0], box[3] - box[1]) <= 0:
            continue
        whole = box
        while near := [other for other in found if _meet(whole, other)]:
            found = [other for other in found if other not in near]
            whole = _around([whole, *near])
        found.append(whole)
    return [box for box in found if min(box[2] - box[0], box[3] - box[1]) >= _SMALL]


def _meet(a: Box, b: Box) -> bool:
    return a[0] <= b[2] + _NEAR and b[0] <= a[2] + _NEAR and a[1] <= b[3] + _NEAR and b[1] <= a[3] + _NEAR


def _around(boxes: list[Box]) -> Box:
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def _within(box: Box, bounds: Box) -> Box | None:
    left, bottom, right, top = (
        max(box[0], bounds[0]),
        max(box[1], bounds[1]),
        min(box[2], bounds[2]),
        min(box[3], bounds[3]),
    )
    return (left, bottom, right, top) if right - left >= _SMALL and top - bottom >= _SMALL else None


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
