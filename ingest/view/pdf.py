"""A page of a PDF as pdfium draws it, with the places of a passage on it, however the page is turned or cropped."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pypdfium2
from PIL import Image
from pypdfium2 import raw

from ingest.errors import UnreadableFile
from ingest.loaders.ocr import OcrUnavailable
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.pdf.glyphs import Glyph
from ingest.loaders.pdf.opening import PDFIUM, open_pdf
from ingest.loaders.pdf.page import glyphs_on, needs_ocr, render
from ingest.view.marks import Letter, marks
from ingest.view.picture import PageAsked, PagePicture, fitting
from ingest.view.scan import scan_letters
from settings.ingest import OcrSettings

_FINE = 1_000_000
"""pdfium gives places on a picture in whole pixels; on one so large they are shares."""


def draw_pdf(loader: PdfLoader, asked: PageAsked) -> PagePicture:
    """The page. Raises EncryptedFile, UnreadableFile (damaged, or without that page)."""
    with PDFIUM:
        pdf = open_pdf(loader.name, loader.data, loader.password)
        try:
            with suppress(pypdfium2.PdfiumError):  # a page without its form fields is still worth seeing
                pdf.init_forms()
            if not 1 <= asked.page <= len(pdf):
                raise _unreadable(loader.name, asked.page)
            return _with_scan(pdf, asked, _draw(pdf, asked), loader.settings.ocr)
        except pypdfium2.PdfiumError as error:
            raise _unreadable(loader.name, asked.page) from error
        finally:
            pdf.close()


def _draw(pdf: pypdfium2.PdfDocument, asked: PageAsked) -> PagePicture:
    page = pdf[asked.page - 1]
    try:
        glyphs = _glyphs(page)
        found = marks(_letters(page, glyphs), page.get_size(), asked.text, asked.spans)
        picture: Image.Image = page.render(scale=fitting(page.get_size(), asked.width)).to_pil().convert("RGB")
        return PagePicture(*picture.size, picture.tobytes(), found.boxes, found.matched, needs_ocr(page, glyphs))
    finally:
        page.close()


def _glyphs(page: pypdfium2.PdfPage) -> list[Glyph]:
    """The characters; [] of a page whose text pdfium cannot read, which may still be drawn."""
    try:
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        return []
    try:
        return glyphs_on(page, textpage)
    finally:
        textpage.close()


def _with_scan(pdf: pypdfium2.PdfDocument, asked: PageAsked, drawn: PagePicture, ocr: OcrSettings) -> PagePicture:
    """The drawn page; of one whose text was read from its picture, where that says the passage stands."""
    if not (asked.read and drawn.scanned and asked.spans) or drawn.matched == "all":
        return drawn
    try:
        found = marks(*scan_letters(render(pdf, asked.page - 1), ocr), asked.text, asked.spans)
    except OcrUnavailable:  # the page is there, without marks, and says so
        return drawn
    return replace(drawn, boxes=found.boxes, matched=found.matched)


def _letters(page: pypdfium2.PdfPage, glyphs: Sequence[Glyph]) -> list[Letter]:
    """The characters with their boxes on the page as it is shown: turned and cropped."""
    left, _, _, top = page.get_bbox()
    wide, high = page.get_size()
    x, y = ctypes.c_int(), ctypes.c_int()

    def shown(across: float, down: float) -> tuple[float, float]:
        raw.FPDF_PageToDevice(page, 0, 0, _FINE, _FINE, 0, left + across, top - down, x, y)
        return wide * x.value / _FINE, high * y.value / _FINE

    letters = []
    for glyph in glyphs:
        (a, b), (c, d) = shown(glyph.x0, glyph.top), shown(glyph.x1, glyph.bottom)
        letters.append(Letter(glyph.text, min(a, c), min(b, d), max(a, c), max(b, d)))
    return letters


def _unreadable(name: str, page: int) -> UnreadableFile:
    remedy = "Open the original file in a PDF reader."
    return UnreadableFile(name, f"page {page} could not be drawn", remedy=remedy, code="page_not_drawn", page=page)
