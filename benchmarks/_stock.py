"""What a person would build with LangChain as its documentation shows: the same embedder, nothing of ours."""

from __future__ import annotations

import warnings

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from benchmarks._beir import Corpus, as_file

CHUNK_SIZE, OVERLAP = 1000, 200
"""The sizes of LangChain's own RAG tutorial."""


class StockPipeline:
    """RecursiveCharacterTextSplitter, BM25Retriever, InMemoryVectorStore, EnsembleRetriever with equal weights."""

    def __init__(self, corpus: Corpus, embeddings: Embeddings, *, depth: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from langchain_classic.retrievers import EnsembleRetriever
            from langchain_community.retrievers import BM25Retriever
            from langchain_core.vectorstores import InMemoryVectorStore
            from langchain_text_splitters import RecursiveCharacterTextSplitter

        files = {name: text for name, text in map(as_file, corpus.documents) if text.strip()}
        splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK_SIZE, chunk_overlap=OVERLAP)
        documents = [Document(page_content=text, metadata={"source": name}) for name, text in files.items()]
        chunks = splitter.split_documents(documents)
        store = InMemoryVectorStore(embeddings)
        store.add_documents(chunks)
        lexical = BM25Retriever.from_documents(chunks, k=depth)
        self._retriever = EnsembleRetriever(
            retrievers=[lexical, store.as_retriever(search_kwargs={"k": depth})], weights=[0.5, 0.5]
        )

    def sources(self, query: str) -> list[str]:
        """The files of the chunks found, best first, each once."""
        found = self._retriever.invoke(query)
        return list(dict.fromkeys(document.metadata["source"] for document in found))
