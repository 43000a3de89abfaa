"""A base of three short documents in English and the same in Chinese, indexed once by the real pipeline and embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel

from chains import Turn
from ingest.pipeline import Pipeline
from models.embeddings import LocalEmbeddings
from retrievers import Retriever
from settings import Settings, load_settings
from store.database import connect
from store.library import Library
from store.stores import Stores
from tests.standin import shared_sandbox

DOCUMENTS = {
    "python.md": """# The history of Python

Python is a programming language that Guido van Rossum created at CWI in Amsterdam. He began it over the Christmas holidays of
1989 and published the first version in February 1991.

Python 2.0 came in 2000 with list comprehensions and a garbage collector for cycles. Python 3.0 followed in December 2008 and was
not fully compatible with what came before. The language is named after a British comedy group, not after a snake.
""",
    "rag.md": """# What RAG is

Retrieval-augmented generation, RAG for short, looks up passages in a collection of documents and lets a language model answer
from them.

RAG solves several problems of language models: their knowledge ends on the day of their training, they make up facts that sound
right, and they cannot say where an answer comes from. With RAG, an answer rests on current documents and can cite its sources.
""",
    "vectors.md": """# Vector databases

A vector database stores embeddings and finds the nearest ones to a query quickly, mostly with approximate indexes such as HNSW.

Common vector databases are Milvus, Qdrant, Weaviate, Chroma, Pinecone and LanceDB. FAISS is a library for vector search rather
than a database of its own.
""",
    "python 历史.md": """# Python 的历史

Python 是一种编程语言，由吉多·范罗苏姆在阿姆斯特丹的荷兰数学与计算机科学研究中心创建。
他在1989年圣诞节假期开始编写，1991年2月发布了第一个版本。

2000年发布的 Python 2.0 加入了列表推导式和循环垃圾回收。2008年12月发布的 Python 3.0 与之前的版本不完全兼容。
""",
    "检索增强生成.md": """# 什么是检索增强生成

检索增强生成简称 RAG，它先从文档集合中检索相关段落，再让大语言模型根据这些段落回答问题。

RAG 解决了大语言模型的几个问题：知识停留在训练结束的那一天，会编造听起来合理的事实，
而且无法说明答案的出处。有了 RAG，回答以最新的文档为依据，并且可以注明来源。
""",
    "向量数据库.md": """# 向量数据库

向量数据库用来存储嵌入向量，并能快速找到与查询最接近的向量，通常使用 HNSW 等近似索引。

常见的向量数据库有 Milvus、Qdrant、Weaviate、Chroma、Pinecone 和 LanceDB。FAISS 是一个向量检索库，而不是独立的数据库。
""",
}


@dataclass(frozen=True)
class Indexed:
    """An indexed library in a folder, and a way to ask it."""

    folder: Path
    library: Library
    stores: Stores
    settings: Settings

    def add(self, base: str, documents: Mapping[str, str | bytes]) -> None:
        """Put documents into a base by the real pipeline."""
        pipeline = Pipeline(self.stores, shared_sandbox())
        for name, content in documents.items():
            data = content.encode() if isinstance(content, str) else content
            report = pipeline.run(self.library.ensure_base(base), name, data, self.settings)
            assert report.status == "indexed", report.reason

    def turn(self, model: BaseChatModel | None = None, *, base: str = "default", **changes: Any) -> Turn:
        """A turn over a base; a setting is named as in retrieval__top_k=3."""
        settings = self.settings.override({name.replace("__", "."): value for name, value in changes.items()})
        return Turn(Retriever(self.stores), self.library.base(base), settings, model=model)

    def ask(self, question: str, model: BaseChatModel | None = None, **changes: Any) -> dict[str, Any]:
        """The answer, after a check of each of its citations against the document's stored text."""
        answer = self.turn(model, **changes).ask(question)
        for citation in answer["citations"]:
            context = answer["contexts"][citation["n"] - 1]
            assert citation["quote"] == self.library.text(citation["doc_id"])[citation["start"] : citation["end"]]
            assert {name: citation[name] for name in ("chunk_id", "doc_id", "source")} == {
                name: context[name] for name in ("chunk_id", "doc_id", "source")
            }
            assert citation["page"] in (context["page"], *(page for page, _ in context["later_pages"]))
            assert f"[{citation['n']}]" in answer["answer"]
        return answer


@pytest.fixture(scope="session")
def indexing(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Indexed]:
    """Makes empty libraries that share one embedder."""
    embedder = LocalEmbeddings()

    def make() -> Indexed:
        folder = tmp_path_factory.mktemp("store")
        settings = load_settings({"store.dir": str(folder)}, env={})
        library = Library(connect(folder), folder=folder)
        return Indexed(folder, library, Stores(library, embedder, settings), settings)

    return make


@pytest.fixture(scope="session")
def indexed(indexing: Callable[[], Indexed]) -> Indexed:
    """The base `default` with the six documents."""
    made = indexing()
    made.add("default", DOCUMENTS)
    return made
