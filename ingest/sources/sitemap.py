"""A sitemap: the addresses of pages, or of further sitemaps, that a site publishes (https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import iterparse  # type: ignore[import-untyped]

from ingest.sources.address import LONGEST
from ingest.sources.inflate import Grows, gathered, inflated

_PAGES, _SITEMAPS = "urlset", "sitemapindex"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ENTRIES = {_PAGES: "url", _SITEMAPS: "sitemap"}


class Damaged(ValueError):
    """It is no sitemap, or one that is cut off, or that unpacks to more than it may."""


def entries(data: bytes, *, max_bytes: int) -> Iterator[tuple[bool, str]]:
    """Each address, and whether it is that of a further sitemap; as XML or as lines of text, either of them perhaps as gzip.

    No entity is expanded and no DTD is read. Raises Damaged, perhaps after the first addresses.
    """
    plain = _plain(data, max_bytes)
    if plain.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", *_UTF_16)):
        yield from _of_xml(plain)
    else:
        yield from _of_text(plain)


def _plain(data: bytes, max_bytes: int) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gathered(inflated([data], "gzip"), max_bytes)
    except (Grows, zlib.error, EOFError) as error:
        raise Damaged from error


def _of_xml(data: bytes) -> Iterator[tuple[bool, str]]:
    root: Element | None = None
    try:
        for event, element in iterparse(io.BytesIO(data), events=("start", "end"), forbid_dtd=True):
            space, _, name = element.tag.rpartition("}")
            if root is None:
                root, kind = element, name
                if kind not in _ENTRIES:
                    raise Damaged
                entry, location = f"{space}}}{_ENTRIES[kind]}" if space else _ENTRIES[kind], f"{space}}}loc" if space else "loc"
            elif event == "end" and element.tag == entry:
                text = (element.findtext(location) or "").strip()
                if text:
                    yield kind == _SITEMAPS, text
                root.clear()  # else the tree of a large one takes ten times its size
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise Damaged from error


def _of_text(data: bytes) -> Iterator[tuple[bool, str]]:
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise Damaged from error
    for line in filter(None, lines):
        if len(line) > LONGEST or not line.lower().startswith(("http://", "https://")):
            raise Damaged
        yield False, line
