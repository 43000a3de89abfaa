"""Which documents can be shown as they look."""

from __future__ import annotations

from typing import Literal

from ingest.names import suffix_of

_PICTURES = frozenset("png jpg jpeg webp bmp tif tiff gif".split())
"""What ImageLoader reads; the loaders themselves are not imported, as the page starts without their libraries."""


def looks(name: str, kind: str | None = None) -> Literal["pages", "picture"] | None:
    """How a document can be shown: as the pages of a PDF, as a picture, or as text only (None).

    `kind` is what it was read as, a suffix without its dot, where that is known; else its name tells.
    """
    read_as = kind or suffix_of(name)[1:]
    return "pages" if read_as == "pdf" else "picture" if read_as in _PICTURES else None
