"""The store as LangChain knows it: the standard tests for vector stores, sync and async."""

from pathlib import Path

import pytest
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import VectorStoreIntegrationTests

from store.chunks import ChunkStore


class TestChunkStore(VectorStoreIntegrationTests):
    """All of langchain-tests' checks of a vector store, on a real LanceDB in a temporary folder."""

    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> VectorStore:
        """An empty store."""
        return ChunkStore(self.get_embeddings(), folder=tmp_path)
