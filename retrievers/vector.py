"""The vector leg: chunks by the mean of their segments' vectors, then ranked by their best segment (MaxSim)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.maxsim import maxsim
from retrievers.query_vectors import QueryVectors
from store.chunks import ChunkStore
from store.filters import build_filter

LEG = "vector"


class VectorRetriever(BaseRetriever):
    """Chunks whose meaning is near the query's; scores are cosines of the best segment."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    store: ChunkStore
    vectors: QueryVectors
    k: int = Field(default=200, ge=1)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        book = ledger.current()
        with book.stage("embed_query"):
            vector = self.vectors.of(query)
        with book.stage(LEG) as stage:
            found = self.store.search_vector(vector, depth=max(k or 0, self.k), where=build_filter(None))
            documents = self.rank(query, [document for document, _ in found])[: k or self.k]
            stage.added = len(documents)
        return documents

    def rank(self, query: str, documents: Sequence[Document]) -> list[Document]:
        """The documents that have segment vectors, best segment first, with this leg's rank and score."""
        scores = maxsim(self.vectors.of(query), documents)
        scored = [(score, document) for score, document in zip(scores, documents, strict=True) if score is not None]
        order = np.argsort([-score for score, _ in scored], kind="stable")
        ranked = [scored[i][1] for i in order]
        ledger.mark(ranked, LEG, [scored[i][0] for i in order])
        return ranked
