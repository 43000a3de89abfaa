"""A stand-in embedder: a text's vector is made of its words, so texts that share words are near; the same on every machine."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np

from ingest.sandbox import Sandbox
from language import terms
from models.base import GlassboxEmbeddings
from store.library import Library


class WordEmbeddings(GlassboxEmbeddings):
    """Counts what it is asked: `texts` holds every text embedded so far, `calls` the size of each call."""

    provider = "standin"

    def __init__(self, dimension: int = 16, *, model: str = "words") -> None:
        self.model, self._dimension = model, dimension
        self.texts: list[str] = []
        self.calls: list[int] = []
        self._directions: dict[str, np.ndarray] = {}

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts.extend(texts)
        self.calls.append(len(texts))
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = np.sum([self._direction(word) for word in [*terms(text), "any"]], axis=0)
        unit: list[float] = (vector / np.linalg.norm(vector)).tolist()
        return unit

    def _direction(self, word: str) -> np.ndarray:
        if word not in self._directions:
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8])
            self._directions[word] = np.random.default_rng(seed).normal(size=self._dimension)
        return self._directions[word]


def keep(library: Library, data: bytes) -> str:
    """Keep the bytes of a file, which no document refers to yet; gives their sha256."""
    with library.files.keeping(data) as version:
        return version


@cache
def shared_sandbox() -> Sandbox:
    """One process that reads the files of all tests, for those that do not care: to start one takes a second."""
    return Sandbox()
