"""Where the text of a picture stands in it, read anew by OCR."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from PIL import Image

from ingest.loaders.ocr import Line, find_lines
from ingest.view.marks import Letter
from settings.ingest import OcrSettings

_WIDE = 2.0
"""Widths of an ideograph, in those of a letter."""


def scan_letters(picture: Image.Image, settings: OcrSettings) -> tuple[list[Letter], tuple[int, int]]:
    """The characters of the picture's lines, and the size of the picture that their boxes lie in. Raises OcrUnavailable.

    A line's box is known and those of its characters are not: it is parted by how wide characters usually are.
    """
    found = find_lines(picture, settings)
    letters = [_unturned(letter, found.turned, found.size) for line in found.lines for letter in _parts(line)]
    return letters, found.size if found.turned in (0, 180) else found.size[::-1]


def _parts(line: Line) -> Iterator[Letter]:
    widths = [_WIDE if unicodedata.east_asian_width(character) in "WF" else 1.0 for character in line.text]
    step, place = (line.x1 - line.x0) / max(sum(widths), 1.0), line.x0
    for character, width in zip(line.text, widths, strict=True):
        yield Letter(character, place, line.top, place + width * step, line.bottom)
        place += width * step


def _unturned(letter: Letter, turned: int, size: tuple[int, int]) -> Letter:
    """The letter where it is in the picture that was turned clockwise, to `size`, to be read."""
    text, x0, top, x1, bottom = letter
    wide, high = size
    return {
        0: letter,
        90: Letter(text, top, wide - x1, bottom, wide - x0),
        180: Letter(text, wide - x1, high - bottom, wide - x0, high - top),
        270: Letter(text, high - bottom, x0, high - top, x1),
    }[turned]
