"""What is found for each part of a complex question alone: its evidence, and what is quoted of it without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chains.answer import Answer, Citation, cite
from retrievers import Retrieval

KIND = "part"
"""Of the queries that are parts (retrievers/queries/query.py)."""
FEW = 3
"""Contexts for a part alone."""


@dataclass(frozen=True)
class Parts:
    """The retrievals for the parts; none where the question has none.

    No single passage may hold what a comparison asks for, so that the evidence for the whole question is weak where each of its
    halves is answered.
    """

    found: tuple[Retrieval, ...] = ()

    @classmethod
    def of(cls, retrieval: Retrieval, retrieve: Callable[[str], Retrieval]) -> Parts:
        """Those of the parts that the question was searched by. Raises StoreError."""
        texts = dict.fromkeys(query.text for query in retrieval.ledger.queries if query.kind == KIND)  # each base has them
        return cls(tuple(map(retrieve, texts)))

    def answered(self, threshold: float) -> list[Retrieval]:
        """Those with enough evidence."""
        return [part for part in self.found if part.contexts and part.ledger.evidence >= threshold]

    @property
    def evidence(self) -> float:
        """The best part's."""
        return max((part.ledger.evidence for part in self.found), default=0.0)

    def quoted(self, retrieval: Retrieval, threshold: float) -> Answer | None:
        """The best segment for each part that has enough evidence, cited from the contexts; None for fewer than two."""
        citations: dict[tuple[str, int], Citation] = {}
        for part in self.answered(threshold):
            for citation in _quotes(part, retrieval):
                citations.setdefault((citation.doc_id, citation.start), citation)
                break
        if len(citations) < 2:
            return None
        told = tuple(citations.values())
        text = "\n\n".join(f"{' '.join(citation.quote.split())} [{citation.n}]" for citation in told)
        return Answer(text, "extractive", told)


NO_PARTS = Parts()


def _quotes(part: Retrieval, retrieval: Retrieval) -> Iterator[Citation]:
    """The part's segments, best first, as far as they stand in one of the contexts."""
    scored = [(segment.score, segment, context.chunk_id) for context in part.contexts for segment in context.segments]
    for _, segment, chunk in sorted(scored, key=lambda row: -row[0]):
        for n, context in enumerate(retrieval.contexts, start=1):
            if context.chunk_id == chunk and context.start <= segment.start and segment.end <= context.end:
                yield cite(context, n=n, start=segment.start, end=segment.end)
