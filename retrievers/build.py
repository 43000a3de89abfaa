"""From settings to a composed retriever: legs inside the ensemble inside contextual compression, as LangChain names them."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.retrievers import BaseRetriever

from models.text import sendable
from retrievers.compression import RelevanceThreshold, TopK
from retrievers.coverage import QuestionTerms
from retrievers.ensemble import ScoredEnsembleRetriever
from retrievers.evidence import EvidenceScorer
from retrievers.ledger import recording
from retrievers.lexical import LEG as LEXICAL
from retrievers.lexical import LexicalRetriever
from retrievers.query_vectors import QueryVectors
from retrievers.result import Retrieval, contexts_of
from retrievers.vector import LEG as VECTOR
from retrievers.vector import VectorRetriever
from settings import Settings
from store.chunks import ChunkStore
from store.library import Base
from store.stores import Stores
from store.terms import TermStatistics


@dataclass(frozen=True)
class _Parts:
    """What is kept of a base between questions."""

    store: ChunkStore
    statistics: TermStatistics


LONGEST_QUESTION = 2000
"""Characters of a question that are searched for: of a pasted document each word would be looked up, for many seconds."""


class Retriever:
    """Finds passages in the bases of a library; one object serves all questions, whatever their settings."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._vectors = QueryVectors(stores.embeddings)
        self._parts: dict[str, _Parts] = {}
        self._lock = threading.Lock()

    def retrieve(self, question: str, base: Base, settings: Settings) -> Retrieval:
        """The contexts for a question. Raises StoreError when the base cannot be searched; a failing layer only makes a note."""
        parts, question = self._parts_of(base), sendable(question)
        searched = question[:LONGEST_QUESTION]
        with recording() as book:
            if searched != question:
                book.note("question_cut", limit=LONGEST_QUESTION)
            model = self._stores.embeddings.model
            layers = build_retriever(parts.store, self._vectors, parts.statistics, settings=settings, model=model)
            contexts = contexts_of(layers.invoke(searched), QuestionTerms(searched, parts.statistics))
        return Retrieval(question, contexts, book)

    def _parts_of(self, base: Base) -> _Parts:
        store = self._stores.open(base)
        with self._lock:
            if base.id not in self._parts or self._parts[base.id].store is not store:
                self._parts[base.id] = _Parts(store, TermStatistics(store))
            return self._parts[base.id]


def build_retriever(
    store: ChunkStore, vectors: QueryVectors, statistics: TermStatistics, *, settings: Settings, model: str
) -> BaseRetriever:
    """The retriever that the settings describe, over one base."""
    chosen = settings.retrieval
    ensemble = ScoredEnsembleRetriever(
        retrievers=[
            LexicalRetriever(store=store, k=chosen.depth),
            VectorRetriever(store=store, vectors=vectors, k=chosen.depth),
        ],
        names=[LEXICAL, VECTOR],
        weights=[1 - chosen.vector_weight, chosen.vector_weight],
        fusion=chosen.fusion,
        c=chosen.rrf_c,
        statistics=statistics,
    )
    layers = [
        EvidenceScorer(vectors=vectors, statistics=statistics, model=model),
        RelevanceThreshold(threshold=chosen.score_threshold),
        TopK(k=chosen.top_k),
    ]
    return ContextualCompressionRetriever(
        base_compressor=DocumentCompressorPipeline(transformers=layers), base_retriever=ensemble
    )
