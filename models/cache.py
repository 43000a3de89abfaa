"""Vectors on disk by model and text, in diskcache (SQLite), as raw float32: a fifth of the size of JSON, never unpickled."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import diskcache
import numpy as np

SIZE_LIMIT = 2 * 2**30
"""Bytes; past it the entries stored longest ago go first."""


class _BytesOnly(diskcache.Disk):  # type: ignore[misc]
    """A disk that stores bytes under text keys and refuses to read anything that would have to be unpickled."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        if mode == diskcache.core.MODE_PICKLE:
            raise ValueError("the vector cache holds a foreign entry; delete its folder")
        return super().fetch(mode, filename, value, read)


class VectorCache:
    """A dictionary on disk from (model, text) to a vector; several processes may use one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _cache(self) -> diskcache.Cache:
        return diskcache.Cache(str(self._folder), disk=_BytesOnly, size_limit=SIZE_LIMIT, eviction_policy="least-recently-stored")

    def get_many(self, model: str, texts: Iterable[str]) -> dict[str, list[float]]:
        """The vectors that are there, by text."""
        found: dict[str, list[float]] = {}
        for text in dict.fromkeys(texts):
            data = self._cache.get(_key(model, text))
            if data is not None:
                found[text] = np.frombuffer(data, dtype=np.float32).tolist()
        return found

    def set_many(self, model: str, vectors: Mapping[str, list[float]]) -> None:
        """Keep these vectors, in one transaction."""
        if not vectors:
            return
        with self._cache.transact():
            for text, vector in vectors.items():
                self._cache.set(_key(model, text), np.asarray(vector, dtype=np.float32).tobytes())


def _key(model: str, text: str) -> str:
    return hashlib.sha256(f"{model}\0{text}".encode("utf-8", "replace")).hexdigest()
