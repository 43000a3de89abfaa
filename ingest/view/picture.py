"""A page as a picture: what is asked for, and what is given. Both cross to the process that reads files and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MOST_PIXELS = 8_000_000
LONGEST_SIDE = 8000
MOST_TEXT = 60_000
"""Characters of a page's text that are looked for on it, around the passage."""

Span = tuple[int, int]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, each as a share of the picture's width or height: 0 to 1, y downwards."""
Matched = Literal["all", "part", "none"]


@dataclass(frozen=True)
class PageAsked:
    """Page `page` (from 1) in a picture about `width` pixels wide.

    `text` is the text that is stored of the page, in which `spans` are the passage. With `read`, the text of a scan or a picture
    is read again (OCR), to find where it stands, which takes seconds.
    """

    page: int
    width: int
    text: str = ""
    spans: tuple[Span, ...] = ()
    read: bool = False


@dataclass(frozen=True)
class PagePicture:
    """The `pixels` (RGB, three bytes each, row by row), and where on the page the passage stands: a box a line, or a part of one.

    `matched` tells how much of the passage was found; `scanned` that the page's text was read from a picture.
    """

    width: int
    height: int
    pixels: bytes
    boxes: tuple[Box, ...] = ()
    matched: Matched = "none"
    scanned: bool = False


def around(text: str, spans: tuple[Span, ...]) -> tuple[str, tuple[Span, ...]]:
    """The text and the spans, or of a long one `MOST_TEXT` characters with the beginning of the passage in their middle."""
    if len(text) <= MOST_TEXT:
        return text, spans
    low = max(0, min((start for start, _ in spans), default=0) - MOST_TEXT // 2)
    part = text[low : low + MOST_TEXT]
    moved = ((max(0, start - low), min(len(part), end - low)) for start, end in spans)
    return part, tuple((start, end) for start, end in moved if start < end)


def fitting(size: tuple[float, float], width: int) -> float:
    """The scale at which something of that size is `width` pixels wide, smaller where that would be too large a picture."""
    wide, high = max(size[0], 1.0), max(size[1], 1.0)
    return min(width / wide, LONGEST_SIDE / wide, LONGEST_SIDE / high, float((MOST_PIXELS / (wide * high)) ** 0.5))
