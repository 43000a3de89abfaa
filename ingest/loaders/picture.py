"""A picture made ready for OCR: upright by its own account, on white, of a size that can be read, in slices where it is long."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

MAX_SIDE = 2400  # pixels: more than 200 dots an inch of a page is slower and no better
_MAX_WIDE = 1600  # of a long screenshot
_LONG = 2.0  # times as high as wide
_SLICE = 1.4  # its height in widths
_MIN_SIDE = 12  # below it there are no letters
_THIN = 320  # a strip gets a margin up to this: the detector scales by the shorter side
_CONTRAST = 16  # of 255


def on_white(picture: Image.Image) -> Image.Image:
    """The picture in RGB, what is transparent as white; depths above eight bits are scaled."""
    if picture.mode.startswith(("I", "F")):
        values = np.nan_to_num(np.asarray(picture, dtype=np.float64))
        low, high = float(values.min()), float(values.max())
        return Image.fromarray(((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8)).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        with_alpha = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", with_alpha.size, "white"), with_alpha).convert("RGB")
    return picture.convert("RGB")


def may_hold_text(picture: Image.Image) -> bool:
    """Whether it is large enough for letters and not all of one shade."""
    if min(picture.size) < _MIN_SIDE:
        return False
    shades = np.asarray(picture.convert("L"))
    return int(shades.max()) - int(shades.min()) >= _CONTRAST


def slices(picture: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    """(upper edge, part) from top to bottom, scaled down as a whole where it is large. Only long pictures have several parts."""
    wide, high = picture.size
    if high < _LONG * wide or high <= MAX_SIDE:
        whole = picture.copy()
        whole.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
        yield 0, whole
        return
    if wide > _MAX_WIDE:
        picture = picture.resize((_MAX_WIDE, round(high * _MAX_WIDE / wide)), Image.Resampling.LANCZOS)
        wide, high = picture.size
    step = max(round(_SLICE * wide), _THIN)
    top = 0
    while top < high:
        bottom = high if high - top <= step else _between_lines(picture, top + round(0.7 * step), top + step)
        yield top, picture.crop((0, top, wide, bottom))
        top = bottom


def _between_lines(picture: Image.Image, start: int, end: int) -> int:
    """The row from `start` to `end` with the least contrast, the lowest of equals: there no line is cut."""
    shades = np.asarray(picture.crop((0, start, picture.width, end)).convert("L"), dtype=np.float32)
    spread = shades.std(axis=1)
    return start + int(np.flatnonzero(spread <= spread.min() + 1)[-1])


def padded(picture: Image.Image) -> Image.Image:
    """The picture with a margin to the right and below where it is a thin strip."""
    size = (max(picture.width, _THIN), max(picture.height, _THIN))
    if size == picture.size:
        return picture
    margin = Image.new("RGB", size, picture.getpixel((0, 0)))
    margin.paste(picture, (0, 0))
    return margin
