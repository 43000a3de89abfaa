"""One page of a PDF, as far as pdfium can read it: its runs, its lines, and whether its text has to be read from a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2
from PIL import Image

from ingest.loaders.pdf.drawings import has_drawings, picture_share, rules_of
from ingest.loaders.pdf.extras import notes_of
from ingest.loaders.pdf.glyphs import Glyph, Reading, read_glyphs, readings
from ingest.loaders.pdf.nonsense import is_nonsense

_FEW = 30  # characters: a stamp or a page number on a scan
_COVERED = 0.5  # of the page by pictures
_DPI = 200
_LONGEST_SIDE = 4000  # pixels: a poster is rendered smaller


@dataclass(frozen=True)
class PageContent:
    """What was read of a page. `height` is that of the first reading, upright.

    A page that needs OCR is a picture of text, or it is `nonsense`: text whose fonts do not tell its letters. Of one
    that is `damaged` nothing could be read.
    """

    readings: tuple[Reading, ...] = ()
    height: float = 0.0
    notes: tuple[str, ...] = ()
    needs_ocr: bool = False
    nonsense: bool = False
    damaged: bool = False


def read_page(pdf: pypdfium2.PdfDocument, index: int) -> PageContent:
    """The content of a page; that of one that pdfium cannot parse is damaged."""
    try:
        page = pdf[index]
    except pypdfium2.PdfiumError:
        return PageContent(damaged=True)
    try:
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        page.close()
        return PageContent(damaged=True)
    try:
        return _content(page, textpage)
    finally:
        textpage.close()
        page.close()


def _content(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage) -> PageContent:
    left, bottom, right, top = page.get_bbox()
    size = (right - left, top - bottom)
    glyphs = glyphs_on(page, textpage)
    found = readings(textpage, glyphs, rules_of(page, left, top), size) if glyphs else []
    turned = bool(found) and _is_turned(found[0], size)
    nonsense = is_nonsense(glyphs)
    needed = nonsense or _is_scan(page, glyphs)
    return PageContent(tuple(found), size[0] if turned else size[1], tuple(notes_of(page)), needed, nonsense)


def glyphs_on(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage) -> list[Glyph]:
    """The visible characters in the order of the content; places count from the page's upper left corner before it is turned."""
    left, bottom, right, top = page.get_bbox()
    everything = read_glyphs(textpage, left, top)
    return [glyph for glyph in everything if _is_on(glyph, (right - left, top - bottom))] or everything


def _is_on(glyph: Glyph, size: tuple[float, float]) -> bool:
    """Whether it is on the page: what was cropped away, nobody sees."""
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
    return -1 <= x <= size[0] + 1 and -1 <= y <= size[1] + 1


def _is_turned(reading: Reading, size: tuple[float, float]) -> bool:
    return any(run.bottom > size[1] or run.x1 > size[0] for run in reading.runs)


def needs_ocr(page: pypdfium2.PdfPage, glyphs: Sequence[Glyph]) -> bool:
    """Whether the text of the page has to be read from a picture of it."""
    return is_nonsense(glyphs) or _is_scan(page, glyphs)


def _is_scan(page: pypdfium2.PdfPage, glyphs: Sequence[Glyph]) -> bool:
    if not glyphs:
        return has_drawings(page)
    return len(glyphs) < _FEW and picture_share(page) >= _COVERED


def render(pdf: pypdfium2.PdfDocument, index: int) -> Image.Image:
    """The page as a picture of about 200 dots an inch. Raises PdfiumError."""
    page = pdf[index]
    try:
        scale = min(_DPI / 72, _LONGEST_SIDE / max(*page.get_size(), 1.0))
        picture: Image.Image = page.render(scale=scale).to_pil().convert("RGB")
        return picture
    finally:
        page.close()
