"""Draws a page of a file: what the process that reads files does when it is asked for a picture."""

from __future__ import annotations

from dataclasses import replace

from PIL import Image
from pydantic import SecretStr

from ingest.errors import UnsupportedFile
from ingest.loaders import get_loader
from ingest.loaders.image import ImageLoader
from ingest.loaders.ocr import OcrUnavailable
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.picture import on_white
from ingest.view.marks import marks
from ingest.view.pdf import draw_pdf
from ingest.view.picture import PageAsked, PagePicture, fitting
from ingest.view.scan import scan_letters
from settings.ingest import IngestSettings


def draw(name: str, data: bytes, settings: IngestSettings, password: SecretStr | None, asked: PageAsked) -> PagePicture:
    """The page that is asked for. Raises LoadError: what the loaders say of the file, or that it has no such page."""
    loader = get_loader(name, data, settings, password)
    if isinstance(loader, PdfLoader):
        return draw_pdf(loader, asked)
    if isinstance(loader, ImageLoader):
        return _draw_picture(loader, asked)
    remedy = "Read its text."
    raise UnsupportedFile(name, "only pages of PDFs and pictures can be shown as they look", remedy=remedy, code="no_look")


def _draw_picture(loader: ImageLoader, asked: PageAsked) -> PagePicture:
    whole = on_white(loader.picture(asked.page - 1))
    scale = min(fitting(whole.size, asked.width), 1.0)
    size = max(1, round(whole.width * scale)), max(1, round(whole.height * scale))
    small = whole.resize(size, Image.Resampling.LANCZOS)
    drawn = PagePicture(*small.size, small.tobytes(), scanned=True)
    if not (asked.read and asked.spans):
        return drawn
    try:
        found = marks(*scan_letters(whole, loader.settings.ocr), asked.text, asked.spans)
    except OcrUnavailable:  # the picture is there, without marks, and says so
        return drawn
    return replace(drawn, boxes=found.boxes, matched=found.matched)
