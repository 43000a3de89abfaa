"""Pictures of a file: what is asked for, and what is given. Both cross to the process that reads files and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from language import width

LONGEST_SIDE = 1568
"""Pixels: what is longer is made smaller, as models that see do with it themselves."""
MOST_BYTES = 4 * 2**20
"""Of one packed picture."""
SMALLEST_SIDE = 16
LONGEST_PART = 300
"""Characters of a path."""
FULL_PAGE = 400.0
"""The width of a page's text (language.width) from which on a picture of the whole page is a scan of text."""
PIXELS_A_TOKEN = 750
"""So many pixels are a token, about (docs.claude.com, Vision: tokens = width x height / 750)."""


@dataclass(frozen=True)
class PicturesAsked:
    """At most `most` pictures whose sides have at least `min_side` pixels; or `wanted` ones by their keys, without their bytes.

    `text_pages` are the pages whose text is known: a picture of all of such a page is a scan of it, and is none.
    """

    most: int = 0
    min_side: int = SMALLEST_SIDE
    text_pages: tuple[int, ...] = ()
    wanted: tuple[str, ...] | None = None


@dataclass(frozen=True)
class FoundPicture:
    """A picture as a file of the type `mime`. `key` stands for what it shows; `page` is the first one that it is on; `part` is
    the path of the file in the file, "" of the file itself.
    """

    key: str
    page: int | None
    width: int
    height: int
    mime: str = "image/png"
    data: bytes = b""
    part: str = ""

    @property
    def tokens(self) -> int:
        """What a model reads, about."""
        return self.width * self.height // PIXELS_A_TOKEN


@dataclass(frozen=True)
class FoundPictures:
    """The pictures of a file in the order of its pages. `left` more are there, beyond the most; `unread` could not be opened."""

    pictures: tuple[FoundPicture, ...] = ()
    left: int = 0
    unread: int = 0


def text_pages(text: str, pages: Iterable[tuple[int, int, int]]) -> tuple[int, ...]:
    """The pages (page, start, end) of a text that are full of it."""
    return tuple(page for page, start, end in pages if width(text[start:end]) >= FULL_PAGE)
