"""Which pictures say something: large enough, not of one shade, no line or border, not repeated on page after page."""

from __future__ import annotations

import hashlib
import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from PIL import Image, ImageOps

from ingest.loaders.image import FORMATS
from ingest.loaders.picture import may_hold_text, on_white
from ingest.pictures.found import LONGEST_PART, LONGEST_SIDE, MOST_BYTES, FoundPicture, FoundPictures, PicturesAsked
from store.database import clean_text

_DECORATION = 3
"""So many pages, or places, with the same picture: a logo or a background."""
_THIN = 10.0
"""Times as long as wide: a line, a border, a banner."""
_LARGE_PNG = 600_000
"""Bytes from which on a picture is a photo, of which a JPEG is smaller."""
_QUALITY = 88
_MOST_PAGES = 10_000
_SPARE = 2
"""So many times the pictures that are wanted are held, as some of them may be found to be decoration."""

_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, ArithmeticError, LookupError, TypeError, Image.DecompressionBombError)
"""What Pillow raises for what is no picture, or is too large."""


@dataclass
class Screen:
    """Takes the pictures of a file in, one after the other, and keeps those that are asked for."""

    asked: PicturesAsked
    part: str = ""
    _unread: list[None] = field(default_factory=list)
    _kept: dict[str, FoundPicture] = field(default_factory=dict)
    _seen: dict[str, int] = field(default_factory=dict)

    def inside(self, path: str) -> Screen:
        """The same for the pictures of a file in the file, whose pages are none of the file's; of scans in it text is known."""
        every = replace(self.asked, text_pages=tuple(range(1, _MOST_PAGES)))
        return replace(self, asked=every, part=f"{self.part} / {path}" if self.part else path)

    def miss(self) -> None:
        """Count a picture that could not be opened."""
        self._unread.append(None)

    def add_bytes(self, data: bytes, page: int | None = None) -> None:
        """Take in a picture as it lies in a file; what cannot be opened, or would be too large, is counted."""
        try:
            with _quiet():
                opened = Image.open(io.BytesIO(data), formats=FORMATS)
                if opened.width * opened.height > (Image.MAX_IMAGE_PIXELS or sys.maxsize):
                    self.miss()
                    return
                opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
                picture = ImageOps.exif_transpose(opened)
        except _DAMAGED:
            self.miss()
            return
        self.add(picture, page)

    def add(self, picture: Image.Image, page: int | None = None) -> None:
        """Take in a picture that is open."""
        wide, high = picture.size
        page = page if not self.part else None
        if min(wide, high) < max(self.asked.min_side, 1) or max(wide, high) > _THIN * min(wide, high):
            return
        shown = on_white(picture)
        shown.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
        if not may_hold_text(shown):
            return
        key = hashlib.sha256(f"{shown.width}x{shown.height}\0".encode() + shown.tobytes()).hexdigest()
        self._seen[key] = self._seen.get(key, 0) + 1
        if key not in self._kept:
            self._kept[key] = self._packed(key, page, shown)

    def found(self) -> FoundPictures:
        """The pictures that are asked for."""
        said = [picture for key, picture in self._kept.items() if self._seen[key] < _DECORATION]
        if self.asked.wanted is not None:
            return FoundPictures(tuple(picture for picture in said if picture.key in self.asked.wanted))
        return FoundPictures(tuple(said[: self.asked.most]), max(0, len(said) - self.asked.most), len(self._unread))

    def _packed(self, key: str, page: int | None, shown: Image.Image) -> FoundPicture:
        """The picture with its bytes, as long as they may be wanted."""
        about = FoundPicture(key, page, *shown.size, part=clean_text(" ".join(self.part.split()))[:LONGEST_PART])
        holding = sum(bool(each.data) for each in self._kept.values())
        if self.asked.wanted is not None or holding >= _SPARE * self.asked.most:
            return about
        mime, data = _file(shown)
        return replace(about, mime=mime, data=data)


def _file(shown: Image.Image) -> tuple[str, bytes]:
    out = io.BytesIO()
    shown.save(out, "PNG")
    if out.tell() <= _LARGE_PNG:
        return "image/png", out.getvalue()
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=_QUALITY)
    assert out.tell() <= MOST_BYTES, "2.5 million pixels"
    return "image/jpeg", out.getvalue()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Pillow's warnings: of what is damaged, and of sizes, which are checked here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
