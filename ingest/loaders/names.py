"""Names of the files within a file: decoded, and never a path."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.errors import LoadError
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file

_DRIVE = re.compile(r"^(?:[A-Za-z]:|\\\\\?\\|//)")


def decode_names(raw: Sequence[bytes]) -> list[str]:
    """Names of one archive, which are all in one encoding: together they tell which, as single ones are too short to."""
    if not raw:
        return []
    try:
        names = decode_file("", b"\n".join(name.replace(b"\n", b" ").replace(b"\r", b" ") for name in raw)).text.split("\n")
    except LoadError:
        names = []
    return names if len(names) == len(raw) else [name.decode("utf-8", "replace") for name in raw]


def shown_path(name: str) -> str:
    """The name as a relative path with slashes, without drives, roots and steps upwards; "?" when nothing is left."""
    parts = _DRIVE.sub("", clean(name)).replace("\\", "/").split("/")
    return "/".join(" ".join(part.split()) for part in parts if part.strip() not in ("", ".", "..")) or "?"
