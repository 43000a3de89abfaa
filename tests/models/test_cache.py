"""The cache of vectors: what was embedded is not embedded again, whoever asks, and nothing in it is trusted."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import diskcache
import pytest

from models.base import GlassboxEmbeddings
from models.cache import VectorCache
from models.embeddings import CachedEmbeddings
from tests.servers import vector_of

ROOT = Path(__file__).parents[2]


class Counting(GlassboxEmbeddings):
    """Embeds as the test server does, and remembers what it was asked."""

    provider = "test"

    def __init__(self, model: str = "one", dimension: int = 4) -> None:
        self.model, self._length = model, dimension
        self.asked: list[str] = []

    @property
    def dimension(self) -> int:
        return self._length

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return vector_of(text.encode("utf-8", "replace").decode() + self.model, self.dimension)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    opened = VectorCache(tmp_path / "vectors")
    yield opened
    opened.close()


def test_only_new_texts_are_embedded_each_once_and_in_order(cache: VectorCache) -> None:
    inner = Counting()
    embedder = CachedEmbeddings(inner, cache)
    first = embedder.embed_documents(["a", "b", "a"])
    assert first[0] == first[2] != first[1]
    second = embedder.embed_documents(["c", "b", "a"])
    assert inner.asked == ["a", "b", "c"]
    assert second == [inner.embed_query("c"), first[1], first[0]]


def test_a_restart_finds_what_was_kept(cache: VectorCache, tmp_path: Path) -> None:
    vectors = CachedEmbeddings(Counting(), cache).embed_documents(["a"])
    cache.close()
    again = Counting()
    reopened = VectorCache(tmp_path / "vectors")
    assert CachedEmbeddings(again, reopened).embed_documents(["a"]) == vectors
    assert again.asked == []
    reopened.close()


@pytest.mark.parametrize("other", [Counting("two"), Counting("one", dimension=5)], ids=["model", "dimension"])
def test_each_model_has_its_own_vectors(cache: VectorCache, other: Counting) -> None:
    CachedEmbeddings(Counting(), cache).embed_documents(["a"])
    assert CachedEmbeddings(other, cache).embed_documents(["a"]) == [other.embed_query("a")]


def test_texts_that_utf8_cannot_encode_are_told_apart(cache: VectorCache) -> None:
    inner = Counting()
    embedder = CachedEmbeddings(inner, cache)
    texts = ["a?b", "a\ud800b", "a\ud801b", "a\0b", ""]
    embedder.embed_documents(texts)
    embedder.embed_documents(texts)
    assert inner.asked == texts


def test_threads_share_it(cache: VectorCache) -> None:
    texts = [f"text {n}" for n in range(40)]
    embedders = [CachedEmbeddings(Counting(), cache) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda embedder: embedder.embed_documents(texts), embedders))
    assert results == [[Counting().embed_query(text) for text in texts]] * 4


def test_processes_share_it(cache: VectorCache, tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from models.cache import VectorCache
from models.embeddings import CachedEmbeddings
from tests.models.test_cache import Counting
CachedEmbeddings(Counting(), VectorCache(Path(sys.argv[1]))).embed_documents([f"text {n}" for n in range(int(sys.argv[2]))])
"""
    call = [sys.executable, "-c", program, str(tmp_path / "vectors")]
    running = [subprocess.Popen([*call, count], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}) for count in ("30", "40")]
    assert [process.wait(60) for process in running] == [0, 0]
    inner = Counting()
    CachedEmbeddings(inner, cache).embed_documents([f"text {n}" for n in range(41)])
    assert inner.asked == ["text 40"]


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path, str]]:
        return Path.write_text, (self.path, "boom")


def replace_entries(folder: Path, value: object) -> int:
    with diskcache.Cache(str(folder)) as foreign:
        for key in list(foreign):
            foreign.set(key, value)
        return len(foreign)


def test_a_foreign_entry_is_never_unpickled_and_gets_replaced(cache: VectorCache, tmp_path: Path) -> None:
    inner = Counting()
    embedder = CachedEmbeddings(inner, cache)
    vectors = embedder.embed_documents(["a"])
    assert replace_entries(tmp_path / "vectors", Bomb(tmp_path / "boom")) == 1
    assert embedder.embed_documents(["a"]) == vectors
    assert embedder.embed_documents(["a"]) == vectors
    assert not (tmp_path / "boom").exists()
    assert inner.asked == ["a", "a"]


@pytest.mark.parametrize("damage", [b"", b"12345", b"\0" * 12, "text", 7], ids=repr)
def test_a_damaged_entry_counts_as_missing(cache: VectorCache, tmp_path: Path, damage: object) -> None:
    embedder = CachedEmbeddings(Counting(), cache)
    vectors = embedder.embed_documents(["a"])
    replace_entries(tmp_path / "vectors", damage)
    assert embedder.embed_documents(["a"]) == vectors


def test_a_folder_that_cannot_be_used_costs_time_but_no_vector(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "vectors").write_text("a file where the folder should be")
    inner = Counting()
    assert CachedEmbeddings(inner, VectorCache(tmp_path / "vectors")).embed_documents(["a"]) == [inner.embed_query("a")]
    assert "cache of vectors cannot be read" in caplog.text


def test_a_database_that_is_none_costs_time_but_no_vector(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cache.db").write_bytes(b"This is no SQLite database." * 100)
    with pytest.raises(sqlite3.DatabaseError):
        diskcache.Cache(str(tmp_path))
    inner = Counting()
    assert CachedEmbeddings(inner, VectorCache(tmp_path)).embed_documents(["a"]) == [inner.embed_query("a")]
    assert "cache of vectors cannot be read" in caplog.text
