"""Chunks for the tests of the store, and a store in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.chunks import ChunkStore
from store.database import connect
from store.library import Library
from tests.standin import WordEmbeddings


@pytest.fixture
def words() -> WordEmbeddings:
    return WordEmbeddings()


@pytest.fixture
def store(tmp_path: Path, words: WordEmbeddings) -> ChunkStore:
    """An empty store of dimension 16."""
    return ChunkStore(words, folder=tmp_path / "chunks")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """An empty library."""
    engine = connect(tmp_path / "store")
    yield Library(engine, folder=tmp_path / "store")
    engine.dispose()
