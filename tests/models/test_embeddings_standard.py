"""The embedders as LangChain knows them: its standard tests, sync and async, on a real model, server and cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langchain_tests.integration_tests import EmbeddingsIntegrationTests

from models.cache import VectorCache
from models.embeddings import CachedEmbeddings, LocalEmbeddings
from models.remote import RemoteEmbeddings
from tests.models.endpoints import embeddings_at
from tests.servers import ModelServer


class TestLocal(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return LocalEmbeddings

    @pytest.fixture
    def model(self, local: LocalEmbeddings) -> Embeddings:
        return local


class TestRemote(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return RemoteEmbeddings

    @pytest.fixture(params=[{}, {"floats_only": True}, {"scale": 7.0}], ids=["base64", "floats", "not of unit length"])
    def model(self, request: Any) -> Iterator[Embeddings]:
        with ModelServer(**request.param) as server:
            yield embeddings_at(server)


class TestCached(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return CachedEmbeddings

    @pytest.fixture
    def model(self, local: LocalEmbeddings, tmp_path: Path) -> Iterator[Embeddings]:
        cache = VectorCache(tmp_path)
        yield CachedEmbeddings(local, cache)
        cache.close()
