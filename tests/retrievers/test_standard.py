"""The retrievers as LangChain knows them: the standard tests, sync and async."""

from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from retrievers.ensemble import ScoredEnsembleRetriever
from retrievers.lexical import LexicalRetriever
from retrievers.vector import VectorRetriever
from tests.retrievers.conftest import Shelf


class Standard(RetrieversIntegrationTests):
    """What the three have in common."""

    @pytest.fixture(autouse=True)
    def _with_shelf(self, dishes: Shelf) -> None:
        self.shelf = dishes

    @property
    def retriever_query_example(self) -> str:
        return "鸡蛋羹 退款 公司地址"


class TestLexicalRetriever(Standard):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return LexicalRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"hits": self.shelf.searched.hits, "statistics": self.shelf.statistics}


class TestVectorRetriever(Standard):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return VectorRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"hits": self.shelf.searched.hits}


class TestScoredEnsembleRetriever(Standard):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return ScoredEnsembleRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        hits = self.shelf.searched.hits
        legs = [LexicalRetriever(hits=hits, statistics=self.shelf.statistics), VectorRetriever(hits=hits)]
        return {"retrievers": legs, "names": ["bm25", "vector"], "weights": [0.5, 0.5]}


del Standard
