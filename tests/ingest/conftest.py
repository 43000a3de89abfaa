"""A desk in a temporary folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.desk import Desk, write
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents, one of them in a folder of its own."""
    root = tmp_path / "in"
    write(root / "a.txt", "Refund window is thirty days.")
    write(root / "deep" / "知识.md", "# 退款\n\n退款期限为三十天。")
    return root
