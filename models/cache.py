"""Vectors on disk by model and text, in diskcache (SQLite), as raw float32: a fifth of the size of JSON, never unpickled."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import diskcache
import numpy as np

from models.disk_cache import forgiven, open_cache

SIZE_LIMIT = 2 * 2**30
"""Bytes; past it the entries stored longest ago go first."""


_FLOAT = np.dtype(np.float32).itemsize
_WHAT, _INSTEAD = "vectors", "texts are embedded again"


class VectorCache:
    """A dictionary on disk from (model, text) to a vector; several processes may use one folder.

    It only saves time: when its folder cannot be read or written, there is nothing in it, and the log says why.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _cache(self) -> diskcache.Cache:
        return open_cache(self._folder, size_limit=SIZE_LIMIT)

    def get_many(self, model: str, texts: Iterable[str], *, dimension: int) -> dict[str, list[float]]:
        """The vectors that are there, by text; an entry that is no vector of that length counts as missing."""
        found: dict[str, list[float]] = {}
        with forgiven(_WHAT, "read", instead=_INSTEAD):
            for text in dict.fromkeys(texts):
                data = self._cache.get(_key(model, text))
                if isinstance(data, bytes) and len(data) == dimension * _FLOAT:
                    found[text] = np.frombuffer(data, dtype=np.float32).tolist()
        return found

    def set_many(self, model: str, vectors: Mapping[str, list[float]]) -> None:
        """Keep these vectors, in one transaction."""
        if not vectors:
            return
        with forgiven(_WHAT, "written", instead=_INSTEAD), self._cache.transact():
            for text, vector in vectors.items():
                self._cache.set(_key(model, text), np.asarray(vector, dtype=np.float32).tobytes())

    def close(self) -> None:
        """Let go of the files; the cache opens them again when it is used."""
        if "_cache" in self.__dict__:
            self._cache.close()


def _key(model: str, text: str) -> str:
    return hashlib.sha256(f"{model}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
