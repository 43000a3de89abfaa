"""One file of this machine: read only when it is not as it was, and never while somebody writes it."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.sources.errors import RefusedSource, UnreachableSource
from ingest.sources.item import Item
from ingest.sources.kept import Kept
from store.database import clean_text
from store.origins import Origin

_YOUNG_NS = 2_000_000_000
"""A file that changed so shortly before it was read may change again without another time: FAT counts in steps of 2 seconds."""
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Found:
    """A file that is there, by the name it has as a document; `mark` is its size and its times, `error` why it cannot be read."""

    name: str
    path: Path
    mark: dict[str, Any]
    error: LoadError | None = None


def found_at(path: Path, name: str) -> Found:
    """The file at a path, whose links are followed. Raises OSError."""
    real = path.resolve(strict=True)
    return Found(name, real, mark_of(real.stat()))


def place_of(folder: Path) -> str:
    """A folder's name as the origin of documents."""
    return clean_text(str(folder.resolve()))


def item_of(found: Found, *, place: str, kept: Kept, max_bytes: int) -> Item:
    """The file's bytes, at most `max_bytes` and one more, which tells that there are too many; unless it is as it was."""
    if found.error:
        return Item(found.name, error=found.error)
    before = kept.origin(found.name)
    if before and before.place == place and _is_same(before.mark, found.mark):
        return Item(found.name, unchanged=True)
    try:
        data, mark = _read(found, max_bytes)
    except OSError as error:
        return Item(found.name, error=unreadable(found.name, error))
    except LoadError as error:
        return Item(found.name, error=error)
    return Item(found.name, data, origin=Origin(found.name, place, hashlib.sha256(data).hexdigest(), mark))


def mark_of(told: os.stat_result) -> dict[str, Any]:
    """By what a file is known to be unchanged."""
    return {"size": told.st_size, "mtime_ns": told.st_mtime_ns, "ctime_ns": told.st_ctime_ns}


def unreadable(name: str, error: OSError) -> LoadError:
    """A file, or a folder, that the system does not let us read."""
    what = error.strerror or type(error).__name__
    remedy = "Check its permissions."
    return UnreachableSource(name, f"cannot be read ({what})", remedy=remedy, code="not_readable", message=what)


def _read(found: Found, max_bytes: int) -> tuple[bytes, dict[str, Any]]:
    """At most `max_bytes` and one more, which tells that there are too many, and the mark of what was read.

    Raises OSError, and LoadError for a file that is being written, or is no file any more.
    """
    handle = os.open(found.path, _OPEN)
    with os.fdopen(handle, "rb") as file:
        seen, before = time.time_ns(), os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            remedy = "Put a file in its place."
            raise RefusedSource(found.name, "it is no ordinary file", remedy=remedy, code="no_file")
        data = file.read(max_bytes + 1)
        mark = mark_of(os.fstat(handle))
    if mark != mark_of(before) or len(data) != min(mark["size"], max_bytes + 1):
        remedy = "Wait until it is complete, then add it again."
        raise UnreachableSource(found.name, "the file is being written", remedy=remedy, code="being_written")
    return data, mark | {"seen_ns": seen}


def _is_same(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether a file is surely the one that was read: the same size and times, and not read right after a change."""
    same = all(before.get(key) == value for key, value in now.items())
    return same and max(now["mtime_ns"], now["ctime_ns"]) + _YOUNG_NS < before.get("seen_ns", 0)
