"""Pictures of text that need no font of the system: English in Pillow's own, Chinese drawn stroke by stroke."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageDraw, ImageFont

# On a field of 10 by 10: characters whose strokes are all straight.
STROKES = {
    "中": [(1, 2, 9, 2), (1, 2, 1, 6), (9, 2, 9, 6), (1, 6, 9, 6), (5, 0, 5, 10)],
    "王": [(1, 1, 9, 1), (1, 5, 9, 5), (0, 9, 10, 9), (5, 1, 5, 9)],
    "田": [(1, 1, 9, 1), (1, 1, 1, 9), (9, 1, 9, 9), (1, 9, 9, 9), (5, 1, 5, 9), (1, 5, 9, 5)],
    "日": [(2, 0, 8, 0), (2, 0, 2, 10), (8, 0, 8, 10), (2, 10, 8, 10), (2, 5, 8, 5)],
    "山": [(5, 0, 5, 9), (1, 4, 1, 9), (9, 4, 9, 9), (1, 9, 9, 9)],
    "上": [(5, 0, 5, 9), (5, 4, 9, 4), (0, 9, 10, 9)],
    "三": [(1, 1, 9, 1), (2, 5, 8, 5), (0, 9, 10, 9)],
}
LINES = ["The ferry to the northern island", "leaves at seven in the morning", "from the eastern pier"]
TEXT = " ".join(LINES)


def written(
    lines: Sequence[str] = LINES, *, size: tuple[int, int] = (700, 260), ink: Any = "black", paper: Any = "white"
) -> Image.Image:
    """English lines."""
    picture = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((30, 30 + 44 * number), line, font=ImageFont.load_default(30), fill=ink)
    return picture


def brushed(lines: Sequence[str]) -> Image.Image:
    """Chinese lines, of the characters in STROKES."""
    picture = Image.new("RGB", (40 + 60 * max(map(len, lines)), 60 + 80 * len(lines)), "white")
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        for place, character in enumerate(line):
            x, y = 20 + 60 * place, 30 + 80 * row
            for x0, y0, x1, y1 in STROKES[character]:
                draw.line([x + 5 * x0, y + 5 * y0, x + 5 * x1, y + 5 * y1], fill="black", width=5)
    return picture


def packed(picture: Image.Image, format: str = "PNG", **options: Any) -> bytes:
    """The bytes of a file."""
    out = io.BytesIO()
    picture.save(out, format, **options)
    return out.getvalue()
