"""What is dropped by relevance and by rank: the filter before the rerankers, the threshold after them, the number of contexts.

Relevance (retrievers/calibration.py) has an absolute scale; a fused score has none, so nothing here looks at one.
metadata["relevance_from"] says where it comes from: "vector" (the default), "rerank", or "words" when no vectors could be
compared. A relevance from words alone is none: nothing is dropped on it, as a failing model must not empty an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from retrievers import ledger
from store.schema import Candidate


class EmbeddingsFilter(BaseDocumentCompressor):
    """Drops documents below a relevance before a reranker sees them; LangChain's filter of that name embeds them anew for it."""

    model_config = ConfigDict(frozen=True)

    threshold: float = Field(ge=0, le=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Those that reach the threshold; those without segment vectors or a relevance stay."""
        book = ledger.current()
        with book.stage("embeddings_filter", taken_in=len(documents)) as stage:
            far = {id(d) for d in documents if _has_vectors(d) and _relevance(d) < self.threshold}
            book.drop(stage, [d for d in documents if id(d) in far], "below_relevance")
        return [d for d in documents if id(d) not in far]


class RelevanceThreshold(BaseDocumentCompressor):
    """Drops documents below a relevance; the reason in the ledger names whose relevance it was, a reranker's or the vectors'."""

    model_config = ConfigDict(frozen=True)

    threshold: float = Field(ge=0, le=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Those that reach the threshold; those without a relevance stay."""
        book = ledger.current()
        with book.stage("threshold", taken_in=len(documents)) as stage:
            weak = [d for d in documents if _relevance(d) < self.threshold]
            book.drop(stage, [d for d in weak if not _is_reranked(d)], "below_threshold")
            book.drop(stage, [d for d in weak if _is_reranked(d)], "below_threshold_rerank")
        return [d for d in documents if _relevance(d) >= self.threshold]


class TopK(BaseDocumentCompressor):
    """Keeps the first k documents."""

    model_config = ConfigDict(frozen=True)

    k: int = Field(ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The first k."""
        book = ledger.current()
        with book.stage("top_k", taken_in=len(documents)) as stage:
            book.drop(stage, documents[self.k :], "below_top_k")
        return documents[: self.k]


def _relevance(document: Document) -> float:
    """The document's relevance; 1 where there is none to judge by."""
    known = document.metadata
    return float(known.get("relevance", 1.0)) if known.get("relevance_from") != "words" else 1.0


def _is_reranked(document: Document) -> bool:
    return bool(document.metadata.get("relevance_from") == "rerank")


def _has_vectors(document: Document) -> bool:
    return isinstance(document, Candidate) and document.segment_vectors is not None
