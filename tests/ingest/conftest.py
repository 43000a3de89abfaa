"""A desk in a temporary folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings


@pytest.fixture
def words() -> WordEmbeddings:
    return WordEmbeddings()


@pytest.fixture
def desk(tmp_path: Path, words: WordEmbeddings) -> Iterator[Desk]:
    """An empty base, with the stand-in embedder."""
    desk = Desk.on(tmp_path / "store", words)
    yield desk
    desk.library.engine.dispose()
