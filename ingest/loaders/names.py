"""Names of the files within a file: decoded, and never a path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from ingest.errors import LoadError
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file

_DRIVE = re.compile(r"^(?:[A-Za-z]:|\\\\\?\\|//)")
_JUNK_FOLDERS = frozenset({"__MACOSX", ".git", ".svn", "__pycache__", ".Trashes", ".Spotlight-V100", "$RECYCLE.BIN"})
_JUNK = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".localized", ".gitkeep"})


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


def is_junk(path: str) -> bool:
    """Whether a program left it there and no person wants to read it."""
    parts = PurePosixPath(path).parts
    last = parts[-1].lower() if parts else ""
    return bool(_JUNK_FOLDERS.intersection(parts)) or last in _JUNK or last.startswith(("._", "~$"))
