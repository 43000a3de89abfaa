"""Evidence: whether the documents hold an answer at all, and which segments carry it. No language model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from language import detect
from models import ModelError
from retrievers import ledger
from retrievers.calibration import relevance
from retrievers.coverage import QuestionTerms
from retrievers.maxsim import nearness
from retrievers.query_vectors import QueryVectors
from store.schema import FloatArray, Nearness
from store.terms import TermStatistics

COVERAGE_WEIGHT = 0.2
TOP_SEGMENTS = 20
WORDS_ONLY = 0.75
"""Stands for the cosine when no vectors can be had: about that of unrelated texts, so only a well covered question passes."""

OTHER_LANGUAGE_LINE = 0.9
OTHER_LANGUAGE_COSINE = 0.80
OTHER_LANGUAGE_LEAD = 0.0385
"""A question in another language than the passage shares no words with it, and the level of cosines across languages says more of
the question's length than of the match. There the evidence is at the line of 0.9 when the best segment's cosine leads the
twentieth's by 0.0385; in a base with fewer segments, when it is 0.80 (about half of own questions are answered
at 5 % of foreign ones: benchmarks/answers.py)."""


READ_FOR_WORDS = 50
"""So many documents are read for how much of the question their best segment holds; few are shown, and reading takes time."""


@dataclass(frozen=True)
class _Segment:
    text: str
    cosine: float
    document: int = 0


class EvidenceScorer(BaseDocumentCompressor):
    """Drops nothing: gives each document its segments' cosines and its relevance, and the ledger the evidence for an answer.

    A segment's evidence is its cosine with the question + 0.2 x the idf-weighted share of the question's terms that it holds; the
    question's is the best of the 20 segments with the best cosines (figures: benchmarks/answers.py). Terms that a filter grants
    already need no evidence.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    vectors: QueryVectors
    statistics: TermStatistics
    model: str
    granted: frozenset[str] = frozenset()

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents, in the same order."""
        book = ledger.current()
        with book.stage("evidence", taken_in=len(documents)):
            found = self._nearness(query, documents)
            cosines = [near.cosines for near in found]
            asked = QuestionTerms(query, self.statistics, granted=self.granted)
            best = best_segments(documents, cosines)
            own = _evidence_of_each(documents, cosines, best, asked)
            for number, (document, near) in enumerate(zip(documents, found, strict=True)):
                document.metadata["segment_cosines"] = near.cosines.tolist()
                document.metadata["relevance"] = relevance(near.best, self.model, evidence=own.get(number, 0.0))
            book.evidence = evidence(query, best, asked)
        return documents

    def _nearness(self, query: str, documents: Sequence[Document]) -> list[Nearness]:
        try:
            found = nearness(self.vectors.of(query), documents)
        except ModelError:
            ledger.current().note("evidence_by_words_only")
            found = [None] * len(documents)
        for document, near in zip(documents, found, strict=True):
            if near is None:
                document.metadata["relevance_from"] = "words"
        return [near or _by_words_only(document) for document, near in zip(documents, found, strict=True)]


def _by_words_only(document: Document) -> Nearness:
    return Nearness(np.full(len(spans_of(document)), WORDS_ONLY, dtype=np.float32), WORDS_ONLY, WORDS_ONLY)


def best_segments(documents: Sequence[Document], cosines: Sequence[FloatArray]) -> list[_Segment]:
    """The 20 segments with the best cosines, best first."""
    if not documents:
        return []
    every = np.concatenate(cosines)
    starts = np.cumsum([0, *map(len, cosines)])
    best = []
    for place in np.argsort(-every, kind="stable")[:TOP_SEGMENTS].tolist():
        number = int(np.searchsorted(starts, place, side="right")) - 1
        best.append(_Segment(segment_text(documents[number], place - int(starts[number])), float(every[place]), number))
    return best


def _evidence_of_each(
    documents: Sequence[Document], cosines: Sequence[FloatArray], best: Sequence[_Segment], asked: QuestionTerms
) -> dict[int, float]:
    """The evidence of documents by their place: of their segments among the best of all, and of their own best one."""
    if asked.none:
        return {}
    read = list(best)
    for number, scores in enumerate(cosines[:READ_FOR_WORDS]):
        place = int(scores.argmax())
        read.append(_Segment(segment_text(documents[number], place), float(scores[place]), number))
    found: dict[int, float] = {}
    for segment in read:
        own = segment.cosine + COVERAGE_WEIGHT * asked.share(segment.text)
        found[segment.document] = max(own, found.get(segment.document, 0.0))
    return found


def evidence(query: str, segments: Sequence[_Segment], asked: QuestionTerms) -> float:
    """The evidence for an answer in the best segments, best cosine first; 0 without any, and for a question without a word."""
    if not segments or asked.none:
        return 0.0
    by_words = max(segment.cosine + COVERAGE_WEIGHT * asked.share(segment.text) for segment in segments)
    best = segments[0]
    if detect(best.text) == detect(query):
        return by_words
    lead = best.cosine - segments[-1].cosine
    over = lead - OTHER_LANGUAGE_LEAD if len(segments) == TOP_SEGMENTS else best.cosine - OTHER_LANGUAGE_COSINE
    return max(by_words, OTHER_LANGUAGE_LINE + 2 * over)


def spans_of(document: Document) -> list[tuple[int, int]]:
    """The segments of a document by their places in its source; of a foreign document, all of it."""
    start = document.metadata.get("start", 0)
    spans: list[tuple[int, int]] = document.metadata.get("segments", [(start, start + len(document.page_content))])
    return spans


def segment_text(document: Document, number: int) -> str:
    """A segment's text behind the headings it stands under, as far as the passage holds them.

    Headings are what is not blank between two segments (ingest/chunkers/segments.py); of a passage that has grown, what
    retrievers/expansion.py found them to be.
    """
    if "segment_headings" in document.metadata:
        start, (begin, end) = document.metadata.get("start", 0), spans_of(document)[number]
        return f"{document.metadata['segment_headings'][number]}\n{document.page_content[begin - start : end - start]}"
    spans, start, text = spans_of(document), document.metadata.get("start", 0), document.page_content
    ends = [start, *(end for _, end in spans)]
    above = (text[ends[i] - start : spans[i][0] - start].strip() for i in range(number, -1, -1))
    begin, end = spans[number]
    return f"{next((heading for heading in above if heading), '')}\n{text[begin - start : end - start]}"
