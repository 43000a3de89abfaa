"""Reranking: a model that reads question and passage together, or MaxSim over segments, puts the best passages in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from models import ModelError, Reranker, get_reranker
from retrievers import ledger
from retrievers.calibration import rerank_relevance
from settings import Secrets, Settings

STAGE = "rerank"


class RerankCompressor(BaseDocumentCompressor):
    """Orders the first `depth` documents by a reranker, or without one by their best segment's cosine (MaxSim).

    The others stay behind, in their order. A reranker's scores, on a scale of 0 to 1 (retrievers/calibration.py), become the
    documents' relevance, and metadata["relevance_from"] says so; MaxSim's relevance is the one they have. When the reranker
    fails, the order stays and a note says why.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    reranker: Reranker | None = None
    depth: int = Field(default=40, ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents in another order."""
        book = ledger.current()
        with book.stage(STAGE, taken_in=len(documents)):
            head, behind = documents[: self.depth], documents[self.depth :]
            try:
                ordered = self._reranked(query, head) if self.reranker else _by_maxsim(head)
            except ModelError as error:
                book.note("rerank_failed", error=str(error))
                return documents
        return [*ordered, *behind]

    def _reranked(self, query: str, documents: Sequence[Document]) -> list[Document]:
        assert self.reranker
        scores = self.reranker.scores(query, [read_as(document) for document in documents]) if documents else []
        for document, relevance in zip(documents, rerank_relevance(scores), strict=True):
            document.metadata |= {"relevance": relevance, "relevance_from": STAGE}
        return _ordered(documents, scores)


class Rerankers:
    """The rerankers that questions have used so far, so that none is loaded or found out about twice; one object for all."""

    def __init__(self, secrets: Secrets | None = None, *, cache: Path | None = None) -> None:
        self._secrets, self._cache = secrets, cache
        self._made: dict[tuple[str, str, str, float], Reranker | None] = {}

    def of(self, settings: Settings) -> Reranker | None:
        """The reranker of the settings; None for MaxSim."""
        chosen = settings.retrieval.rerank
        key = (chosen.provider, chosen.base_url, chosen.model, chosen.timeout_seconds)
        if key not in self._made:
            self._made[key] = get_reranker(settings, self._secrets, cache=self._cache)
        return self._made[key]


def read_as(document: Document) -> str:
    """What a reranker reads: the passage behind the heading that it stands under, as the embedder does."""
    heading, text = document.metadata.get("heading"), document.page_content
    return f"{heading}\n{text}" if heading and heading not in text else text


def _by_maxsim(documents: Sequence[Document]) -> list[Document]:
    """Best segment first; documents without segments' cosines follow in their order."""
    scored = [document for document in documents if document.metadata.get("segment_cosines")]
    rest = [document for document in documents if not document.metadata.get("segment_cosines")]
    return _ordered(scored, [max(document.metadata["segment_cosines"]) for document in scored]) + rest


def _ordered(documents: Sequence[Document], scores: Sequence[float]) -> list[Document]:
    """Highest score first, those with equal scores in their order, with rank and score of this stage."""
    order = sorted(range(len(documents)), key=lambda place: -scores[place])
    ordered = [documents[place] for place in order]
    ledger.mark(ordered, STAGE, [scores[place] for place in order])
    return ordered
