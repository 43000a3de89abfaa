"""Pictures of a notebook: what its code drew, and what is attached to its texts."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.pictures.of_page import pictures_of_text
from ingest.pictures.screen import Screen

_KIND = re.compile(r"(?:image/)?(?:png|jpe?g|gif|webp|bmp|tiff)")
"""A key beside which a picture stands in base64: its MIME type, in notebooks before version 4 without "image/"."""


def pictures_of_notebook(loader: FileLoader, screen: Screen) -> None:
    """The pictures in the order of the cells, then those that its texts hold as data. Raises LoadError."""
    try:
        notebook = json.loads(decode_file(loader.name, loader.data).text, strict=False)
    except (ValueError, RecursionError):
        return  # the reader of its text says that it is damaged
    for written in _written(notebook):
        try:
            screen.add_bytes(b64decode(written))
        except (binascii.Error, ValueError):
            screen.miss()
    pictures_of_text(loader, screen)


def _written(part: Any) -> Iterator[str]:
    """What stands beside a key that names a kind of picture."""
    waiting = [part]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, list):
            waiting[:0] = part
        elif isinstance(part, dict):
            for key, value in part.items():
                is_text = isinstance(value, str) or (isinstance(value, list) and all(isinstance(line, str) for line in value))
                if is_text and _KIND.fullmatch(str(key)):
                    yield "".join(value)
            waiting[:0] = [value for value in part.values() if isinstance(value, list | dict)]
