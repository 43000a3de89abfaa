"""The last steps before the contexts: the threshold on relevance, and the number of contexts."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import Field

from retrievers import ledger


class RelevanceThreshold(BaseDocumentCompressor):
    """Drops documents below a relevance (retrievers/calibration.py), never on a fused score, which has no absolute scale."""

    threshold: float = Field(ge=0, le=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Those that reach the threshold; those without a relevance stay."""
        book = ledger.current()
        with book.stage("threshold", taken_in=len(documents)) as stage:
            weak = [d for d in documents if d.metadata.get("relevance", 1.0) < self.threshold]
            book.drop(stage, weak, "below_threshold")
        return [d for d in documents if d.metadata.get("relevance", 1.0) >= self.threshold]


class TopK(BaseDocumentCompressor):
    """Keeps the first k documents."""

    k: int = Field(ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The first k."""
        book = ledger.current()
        with book.stage("top_k", taken_in=len(documents)) as stage:
            book.drop(stage, documents[self.k :], "below_top_k")
        return documents[: self.k]
