"""Contexts made by hand."""

from __future__ import annotations

from retrievers import Context, Retrieval
from retrievers.ledger import Ledger
from retrievers.result import SegmentScore


def context(name: str, *segments: tuple[str, float], start: int = 100, page: int | None = None) -> Context:
    """A context that begins at `start` of its document and holds these segments, a blank between two."""
    text = " ".join(part for part, _ in segments)
    scores, place = [], start
    for part, score in segments:
        scores.append(SegmentScore(place, place + len(part), score))
        place += len(part) + 1
    return Context(
        chunk_id=f"chunk-{name}",
        doc_id=f"doc-{name}",
        source=f"{name}.txt",
        page=page,
        heading=None,
        start=start,
        end=start + len(text),
        text=text,
        relevance=0.9,
        segments=tuple(scores),
        scores={},
        matched_terms=(),
    )


def retrieval(question: str, *contexts: Context) -> Retrieval:
    return Retrieval(question, contexts, Ledger())
