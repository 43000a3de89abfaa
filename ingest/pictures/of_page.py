"""Pictures that a web page or a Markdown text holds itself, as data or as parts of a saved page; nothing is fetched."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from email import message_from_bytes
from urllib.parse import unquote_to_bytes

from ingest.loaders.base import FileLoader
from ingest.pictures.screen import Screen

_DATA = re.compile(rb"data:image/(?:png|jpe?g|gif|webp|bmp|tiff)(?:;[\w=.-]{1,40}){0,3};base64,([A-Za-z0-9+/=%_\s-]{64,})", re.I)


def pictures_of_text(loader: FileLoader, screen: Screen) -> None:
    """The pictures that are written as data: addresses."""
    for match in _DATA.finditer(loader.data):
        try:
            screen.add_bytes(b64decode(unquote_to_bytes(match[1])))
        except (binascii.Error, ValueError):
            screen.miss()


def pictures_of_saved_page(loader: FileLoader, screen: Screen) -> None:
    """The pictures beside the page in a web archive."""
    message = message_from_bytes(loader.data.lstrip(b"\xef\xbb\xbf\r\n"))
    for part in message.walk():
        data = part.get_payload(decode=True) if part.get_content_maintype() == "image" else None
        if isinstance(data, bytes) and part.get_content_subtype() != "svg+xml":
            screen.add_bytes(data)
