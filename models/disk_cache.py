"""Caches on disk: what they only save is time, and nothing in them is ever unpickled."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import diskcache

_LOG = logging.getLogger(__name__)


class _PlainValues(diskcache.Disk):  # type: ignore[misc]
    """A disk that takes an entry that would have to be unpickled for none at all: our own are bytes or text under text keys."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        return None if mode == diskcache.core.MODE_PICKLE else super().fetch(mode, filename, value, read)


def open_cache(folder: Path, *, size_limit: int) -> diskcache.Cache:
    """The cache in a folder (diskcache, SQLite), for several processes; past `size_limit` bytes the oldest goes first."""
    return diskcache.Cache(str(folder), disk=_PlainValues, size_limit=size_limit, eviction_policy="least-recently-stored")


@contextmanager
def forgiven(cache: str, done: str, *, instead: str) -> Iterator[None]:
    """Inside, a folder that cannot be read or written only makes a line in the log: of what, and what is done `instead`."""
    try:
        yield
    except (OSError, sqlite3.Error, diskcache.Timeout, UnicodeError) as error:
        _LOG.warning("The cache of %s cannot be %s; %s: %s", cache, done, instead, error)
