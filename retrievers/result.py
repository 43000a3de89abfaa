"""What a retrieval gives: the contexts with their scores, and the ledger, as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from retrievers.coverage import QuestionTerms
from retrievers.evidence import COVERAGE_WEIGHT, segment_text, spans_of
from retrievers.ledger import Ledger, Mark
from retrievers.order import RANK

CONTEXT_WEIGHT = 0.05
LEFT_OUT = " … "
NEAR_WINNER = 0.02
"""A segment whose score is within this of the best of all contexts is marked as well."""


@dataclass(frozen=True)
class SegmentScore:
    """A segment of a context by its place in the document; `winner` marks those that carry the evidence."""

    start: int
    end: int
    score: float
    winner: bool = False


@dataclass(frozen=True)
class Context:
    """A passage that was found. `text` is the slice start:end of its document.

    Of an `edited` one it is the corrected text, `original` is the slice, and segments are places in the text, counted from start.
    """

    chunk_id: str
    doc_id: str
    source: str
    page: int | None
    heading: str | None
    start: int
    end: int
    text: str
    relevance: float
    segments: tuple[SegmentScore, ...]
    scores: dict[str, Mark]
    matched_terms: tuple[str, ...]
    later_pages: tuple[tuple[int, int], ...] = ()
    """Pages that begin within the passage: (page, its place in the document)."""
    base: str = ""
    relevance_from: str = "vector"
    """What the relevance is made of: vector, rerank or words."""
    rank: int = 0
    """Its place by relevance, from 1, where the contexts stand in another order; else 0."""
    matched: tuple[int, int] | None = None
    """What was found of it, where the passage was extended: places in the document."""
    extract: tuple[tuple[int, int], ...] = ()
    """What matters of it, as places in the document, where that was asked for."""
    queries: tuple[tuple[int, int], ...] = ()
    """(number of the query, rank) of the queries that found it, where there are several."""
    sheet: str | None = None
    rows: tuple[int, int] | None = None
    """The first and last row of a table, in its sheet, that it holds a part of."""
    edited: bool = False
    original: str | None = None
    author: str | None = None
    created: str | None = None
    """When the document was written, as it says itself."""
    by_model: str | None = None
    """The model that wrote the passage, where it describes a picture of the document."""

    @property
    def read_text(self) -> str:
        """What of it a language model reads: its extract, where there is one, else all."""
        parts = [self.text[start - self.start : end - self.start] for start, end in self.extract]
        return LEFT_OUT.join(parts) or self.text

    def page_at(self, place: int) -> int | None:
        """The page that a place of the document within the passage lies on."""
        return next((page for page, start in reversed(self.later_pages) if start <= place), self.page)

    def segment_text(self, segment: SegmentScore) -> str:
        """The text of one of its segments."""
        return self.text[segment.start - self.start : segment.end - self.start]

    def as_json(self) -> dict[str, Any]:
        """The context as JSON values."""
        return vars(self) | {
            "segments": [vars(segment) for segment in self.segments],
            "scores": _marks(self.scores),
            "matched_terms": list(self.matched_terms),
        }


@dataclass(frozen=True)
class Retrieval:
    """The contexts for a question, best first, and how they came to be."""

    query: str
    contexts: tuple[Context, ...]
    ledger: Ledger

    def as_json(self) -> dict[str, Any]:
        """The retrieval as JSON values, the form that the command line prints, the store keeps and the page draws."""
        book = self.ledger
        return {
            "query": self.query,
            "queries": [{"text": self.query, "kind": "original"}, *(_query_json(query) for query in book.queries)],
            "contexts": [context.as_json() for context in self.contexts],
            "weights": book.weights,
            "base_weights": book.base_weights,
            "evidence": round(book.evidence, 6),
            "dropped": [drop._asdict() | {"scores": _marks(drop.scores)} for drop in book.drops],
            "stages": [
                {
                    "name": s.name,
                    "ms": round(s.ms, 3),
                    "in": s.taken_in,
                    "added": s.added,
                    "dropped": s.dropped,
                    "merged": s.merged,
                    "out": s.out,
                    "query": s.query,
                    "base": s.base,
                }
                for s in book.stages
            ],
            "notes": [{"code": note.code, "params": note.params} for note in book.notes],
        }


def contexts_of(documents: Sequence[Document], asked: Mapping[str, QuestionTerms]) -> tuple[Context, ...]:
    """The contexts of the last documents standing, with the winning segments marked. `asked` are the question's terms by base."""
    scored = [_segment_scores(document, asked[document.metadata["base"]]) for document in documents]
    best = max((segment.score for segments in scored for segment in segments), default=0.0)
    return tuple(
        _context(d, _marked(segments, best), asked[d.metadata["base"]]) for d, segments in zip(documents, scored, strict=True)
    )


def _marks(scores: Mapping[str, Mark]) -> dict[str, Any]:
    return {stage: {"rank": mark.rank, "score": round(mark.score, 6)} for stage, mark in scores.items()}


def _query_json(query: Any) -> dict[str, Any]:
    return {"text": query.text, "kind": query.kind, "legs": list(query.legs), "weight": query.weight}


def _segment_scores(document: Document, asked: QuestionTerms) -> list[SegmentScore]:
    """Evidence of each segment, and a little for what its passage holds: among like segments the right place wins."""
    around = CONTEXT_WEIGHT * asked.share(document.page_content)
    scored = []
    for number, (start, end) in enumerate(spans_of(document)):
        own = document.metadata["segment_cosines"][number] + COVERAGE_WEIGHT * asked.share(segment_text(document, number))
        scored.append(SegmentScore(start, end, round(own + around, 6)))
    return scored


def _marked(segments: list[SegmentScore], best: float) -> tuple[SegmentScore, ...]:
    own = max((segment.score for segment in segments), default=0.0)
    return tuple(SegmentScore(s.start, s.end, s.score, winner=s.score == own or s.score > best - NEAR_WINNER) for s in segments)


def _context(document: Document, segments: tuple[SegmentScore, ...], asked: QuestionTerms) -> Context:
    known = document.metadata
    return Context(
        chunk_id=str(document.id),
        doc_id=known.get("doc_id", ""),
        source=known.get("source", ""),
        page=known.get("page"),
        heading=known.get("heading"),
        start=known.get("start", 0),
        end=known.get("end", len(document.page_content)),
        text=document.page_content,
        relevance=round(known["relevance"], 4),
        segments=segments,
        scores=known.get("scores", {}),
        matched_terms=tuple(asked.matched(document.page_content)),
        later_pages=tuple((page, start) for page, start in known.get("later_pages", [])),
        base=known.get("base", ""),
        relevance_from=known.get("relevance_from", "vector"),
        rank=known.get(RANK, 0),
        matched=known.get("matched"),
        extract=tuple((start, end) for start, end in known.get("extract", [])),
        queries=tuple(known.get("queries", ())),
        sheet=known.get("sheet"),
        rows=rows_of(known),
        edited=bool(known.get("edited")),
        original=known.get("original"),
        author=known.get("author"),
        created=known.get("created"),
        by_model=known.get("by_model"),
    )


def rows_of(known: Mapping[str, Any]) -> tuple[int, int] | None:
    """The rows of a table that a passage with this metadata holds a part of."""
    rows = known.get("rows")
    return (rows[0], rows[1]) if rows else None
