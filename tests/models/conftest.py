"""The real local embedder, loaded once."""

import pytest

from models.embeddings import LocalEmbeddings


@pytest.fixture(scope="session")
def local() -> LocalEmbeddings:
    return LocalEmbeddings()
