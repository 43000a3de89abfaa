"""Evidence: whether the documents hold an answer at all, and which segments carry it. No language model is asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from models import ModelError
from retrievers import ledger
from retrievers.calibration import relevance
from retrievers.coverage import QuestionTerms
from retrievers.maxsim import segment_scores
from retrievers.query_vectors import QueryVectors
from store.terms import TermStatistics

COVERAGE_WEIGHT = 0.2
TOP_SEGMENTS = 20
WORDS_ONLY = 0.75
"""Stands for the cosine when no vectors can be had: about that of unrelated texts, so only a well covered question passes."""


class EvidenceScorer(BaseDocumentCompressor):
    """Drops nothing: gives each document its segments' scores and its relevance, and the ledger the evidence for an answer.

    A segment's score is its cosine with the question + 0.2 x the idf-weighted share of the question's terms that it holds. The
    evidence is the best cosine + 0.2 x the best share in the 20 best segments (measured: own against foreign questions are told
    apart with AUROC 0.997 in English and 0.999 in Chinese, by the cosine alone with 0.942 and 0.975).
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    vectors: QueryVectors
    statistics: TermStatistics
    model: str

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents, in the same order."""
        book = ledger.current()
        with book.stage("evidence", taken_in=len(documents)):
            asked = QuestionTerms(query, self.statistics)
            cosines = self._cosines(query, documents)
            for document, scores in zip(documents, cosines, strict=True):
                document.metadata["segment_cosines"] = scores.tolist()
                document.metadata["relevance"] = relevance(float(scores.max()), self.model)
            ranked = sorted(
                (
                    (float(score), _segment_text(d, i))
                    for d, scores in zip(documents, cosines, strict=True)
                    for i, score in enumerate(scores)
                ),
                key=lambda pair: -pair[0],
            )[:TOP_SEGMENTS]
            if ranked:
                book.evidence = ranked[0][0] + COVERAGE_WEIGHT * asked.best_share(text for _, text in ranked)
        return documents

    def _cosines(self, query: str, documents: Sequence[Document]) -> list[np.ndarray]:
        try:
            found = segment_scores(self.vectors.of(query), documents)
        except ModelError:
            ledger.current().note("evidence_by_words_only")
            found = [None] * len(documents)
        return [
            scores if scores is not None and len(scores) else np.full(len(document.metadata.get("segments", [0])), WORDS_ONLY)
            for document, scores in zip(documents, found, strict=True)
        ]


def _segment_text(document: Document, number: int) -> str:
    """A segment's text, behind the heading of its chunk."""
    start = document.metadata.get("start", 0)
    spans = document.metadata.get("segments", [(start, start + len(document.page_content))])
    a, b = spans[number]
    return document.page_content[a - start : b - start]
