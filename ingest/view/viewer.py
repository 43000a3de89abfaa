"""Pages of kept files as pictures, drawn in a process of their own and kept in memory for a while."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from PIL import Image
from pydantic import SecretStr

from ingest.sandbox import Sandbox
from ingest.view.picture import Box, Matched, PageAsked, PagePicture, around
from settings.ingest import IngestSettings
from settings.view import ViewSettings

_LARGE_PNG = 1_500_000
"""Bytes from which on a page is a photo rather than letters, and a JPEG is smaller."""
_QUALITY = 85


@dataclass(frozen=True)
class ShownPage:
    """A page as a file for a browser (`image` is of the MIME type `mime`), with the places of the passage on it."""

    image: bytes
    mime: str
    boxes: tuple[Box, ...] = ()
    matched: Matched = "none"
    scanned: bool = False


class Viewer:
    """Draws pages. Files are hostile, so the process that draws them is one that a file may crash, hang or fill.

    `settings` bound how long a page may take and how many bytes of pages are kept; how much memory it may need is bounded as
    when files are read.
    """

    def __init__(self, settings: ViewSettings, ingest: IngestSettings, sandbox: Sandbox | None = None) -> None:
        self._most = settings.cache_mb * 2**20
        parse = ingest.parse.model_copy(update={"timeout_seconds": settings.timeout_seconds})
        self._ingest = ingest.model_copy(update={"parse": parse})
        self._sandbox = sandbox or Sandbox()
        self._kept: OrderedDict[tuple[str, PageAsked], ShownPage] = OrderedDict()
        self._lock = threading.Lock()

    def page_picture(
        self, name: str, version: str, read: Callable[[], bytes], asked: PageAsked, password: SecretStr | None = None
    ) -> ShownPage:
        """A page of the file `name`, whose bytes have the sha256 `version` and come from `read` if they are needed.

        What a password opened is not kept. Raises LoadError, and what `read` raises.
        """
        text, spans = around(asked.text, asked.spans)
        wanted = replace(asked, text=text if spans else "", spans=spans)
        key = (version, wanted)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        known = self._read_before(*key) if wanted.read else None
        if known:
            plain = self.page_picture(name, version, read, replace(wanted, read=False), password)
            return replace(plain, boxes=known.boxes, matched=known.matched)
        page = _shown(self._sandbox.picture(name, read(), self._ingest, wanted, password))
        if password is None:
            self._keep(key, page)
        return page

    def close(self) -> None:
        """End the process, and let go of the pages."""
        self._sandbox.close()
        with self._lock:
            self._kept.clear()

    @property
    def kept_bytes(self) -> int:
        """How large the pages are that are kept."""
        return sum(len(page.image) for page in self._kept.values())

    def _read_before(self, version: str, asked: PageAsked) -> ShownPage | None:
        """The same page in another width, which was read for the same passage: to read it takes seconds."""
        with self._lock:
            kept = list(self._kept.items())
        same = (page for (other, known), page in kept if other == version and replace(known, width=asked.width) == asked)
        return next(same, None)

    def _keep(self, key: tuple[str, PageAsked], page: ShownPage) -> None:
        """Keep the page, and let those go that were not looked at for the longest time."""
        with self._lock:
            self._kept[key] = page
            while self._kept and self.kept_bytes > self._most:
                self._kept.popitem(last=False)


def _shown(picture: PagePicture) -> ShownPage:
    """The pixels as a file. They are packed here: what a browser is given was never in the hands of the hostile file."""
    image = Image.frombytes("RGB", (picture.width, picture.height), picture.pixels)
    out = io.BytesIO()
    image.save(out, "PNG")
    mime = "image/png"
    if out.tell() > _LARGE_PNG:
        out = io.BytesIO()
        image.save(out, "JPEG", quality=_QUALITY)
        mime = "image/jpeg"
    return ShownPage(out.getvalue(), mime, picture.boxes, picture.matched, picture.scanned)
