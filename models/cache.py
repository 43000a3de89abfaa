"""Vectors on disk by model and text, in diskcache (SQLite), as raw float32: a fifth of the size of JSON, never unpickled."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import diskcache
import numpy as np

SIZE_LIMIT = 2 * 2**30
"""Bytes; past it the entries stored longest ago go first."""


_FLOAT = np.dtype(np.float32).itemsize
_LOG = logging.getLogger(__name__)


class _BytesOnly(diskcache.Disk):  # type: ignore[misc]
    """A disk that takes an entry that would have to be unpickled for none at all: our own entries are bytes under text keys."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        return None if mode == diskcache.core.MODE_PICKLE else super().fetch(mode, filename, value, read)


class VectorCache:
    """A dictionary on disk from (model, text) to a vector; several processes may use one folder.

    It only saves time: when its folder cannot be read or written, there is nothing in it, and the log says why.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _cache(self) -> diskcache.Cache:
        return diskcache.Cache(str(self._folder), disk=_BytesOnly, size_limit=SIZE_LIMIT, eviction_policy="least-recently-stored")

    def get_many(self, model: str, texts: Iterable[str], *, dimension: int) -> dict[str, list[float]]:
        """The vectors that are there, by text; an entry that is no vector of that length counts as missing."""
        found: dict[str, list[float]] = {}
        with _forgiven("read"):
            for text in dict.fromkeys(texts):
                data = self._cache.get(_key(model, text))
                if isinstance(data, bytes) and len(data) == dimension * _FLOAT:
                    found[text] = np.frombuffer(data, dtype=np.float32).tolist()
        return found

    def set_many(self, model: str, vectors: Mapping[str, list[float]]) -> None:
        """Keep these vectors, in one transaction."""
        if not vectors:
            return
        with _forgiven("written"), self._cache.transact():
            for text, vector in vectors.items():
                self._cache.set(_key(model, text), np.asarray(vector, dtype=np.float32).tobytes())

    def close(self) -> None:
        """Let go of the files; the cache opens them again when it is used."""
        if "_cache" in self.__dict__:
            self._cache.close()


@contextmanager
def _forgiven(what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, diskcache.Timeout) as error:
        _LOG.warning("The cache of vectors cannot be %s; texts are embedded again: %s", what, error)


def _key(model: str, text: str) -> str:
    return hashlib.sha256(f"{model}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
