"""A base with a few documents, indexed for real: LanceDB in a temporary folder, the local embedder."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from ingest.pipeline import Pipeline
from models.embeddings import LocalEmbeddings
from retrievers import Retrieval, Retriever
from retrievers.layers import Searched
from retrievers.query_vectors import QueryVectors
from settings import Settings, load_settings
from store.chunks import ChunkStore
from store.database import connect
from store.library import Base, Library
from store.stores import Stores
from store.terms import TermStatistics
from tests.standin import shared_sandbox

DISHES = {
    "mapo.txt": "麻婆豆腐的做法：豆腐切块，肉末炒香，加豆瓣酱。",
    "refund.txt": "退款期限为三十天。",
    "address.txt": "公司地址在上海。",
    "egg.txt": "鸡蛋羹操作步骤：打散鸡蛋，加温水，蒸十分钟。",
    "egg_more.txt": "鸡蛋羹附加内容：可以加虾仁。",
    "erp.txt": "采购订单自动审批流程由 ERP审批 模块处理。",
    "window.txt": "Refund window is thirty days.",
    "python.md": "# Python\n\nPython was created by Guido van Rossum and first released in 1991.",
}


@dataclass
class Shelf:
    """A base and what searches it."""

    base: Base
    stores: Stores
    pipeline: Pipeline
    retriever: Retriever
    settings: Settings

    def add(self, name: str, text: str) -> None:
        assert self.pipeline.run(self.base, name, text.encode(), self.settings).status in ("indexed", "replaced")

    def find(self, question: str, **changes: object) -> Retrieval:
        changed = self.settings.override({f"retrieval.{key}": value for key, value in changes.items()})
        return self.retriever.retrieve(question, self.base, changed)

    def sources(self, question: str, **changes: object) -> list[str]:
        return [context.source for context in self.find(question, **changes).contexts]

    @property
    def store(self) -> ChunkStore:
        return self.stores.open(self.base)

    @property
    def vectors(self) -> QueryVectors:
        return QueryVectors(self.stores.embeddings)

    @cached_property
    def searched(self) -> Searched:
        return Searched.of(self.store, self.vectors)

    @property
    def statistics(self) -> TermStatistics:
        return TermStatistics(self.store)


@pytest.fixture(scope="session")
def embeddings() -> LocalEmbeddings:
    return LocalEmbeddings()


@pytest.fixture(scope="session")
def make_shelf(embeddings: LocalEmbeddings) -> Callable[[Path], Shelf]:
    def make(folder: Path) -> Shelf:
        settings = load_settings({"store.dir": str(folder)}, env={})
        library = Library(connect(folder), folder=folder)
        stores = Stores(library, embeddings, settings)
        return Shelf(library.ensure_base("test"), stores, Pipeline(stores, shared_sandbox()), Retriever(stores), settings)

    return make


@pytest.fixture
def shelf(make_shelf: Callable[[Path], Shelf], tmp_path: Path) -> Shelf:
    """An empty base of its own."""
    return make_shelf(tmp_path)


@pytest.fixture(scope="session")
def dishes(make_shelf: Callable[[Path], Shelf], tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A base that no test may change."""
    shelf = make_shelf(tmp_path_factory.mktemp("dishes"))
    for name, text in DISHES.items():
        shelf.add(name, text)
    return shelf
