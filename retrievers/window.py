"""The sentence window: the best segment of a passage with some sentences around it."""

from __future__ import annotations

from typing import ClassVar

from langchain_core.documents import Document
from pydantic import Field

from language import Span, sentences
from retrievers.coverage import QuestionTerms
from retrievers.evidence import COVERAGE_WEIGHT, segment_text, spans_of
from retrievers.expansion import Cut, Expansion, passage_span
from store.terms import TermStatistics

LONGEST = 450
"""Widest sentence (language.sentences); so many characters for each sentence are looked at."""


class Window(Expansion):
    """A passage becomes its best segment with `sentences` sentences before and after it, within the document.

    The best segment is the one with the most evidence (retrievers/evidence.py), or without `statistics` the best cosine; of a
    passage without cosines it is all of it. LlamaIndex's sentence window keeps the sentences around each in the store; here they
    are a slice of the document's text. Where the chunker kept a window, no sentence outside of it is shown.
    """

    stage: ClassVar[str] = "window"

    sentences: int = Field(default=3, ge=0)
    statistics: TermStatistics | None = None

    def _cut(self, query: str) -> Cut:
        return _Windows(QuestionTerms(query, self.statistics) if self.statistics else None, self.sentences)


class _Windows:
    """The windows of the passages of a question."""

    def __init__(self, asked: QuestionTerms | None, count: int) -> None:
        self._asked, self._count = asked, count

    def core(self, document: Document) -> Span:
        """Its best segment."""
        spans, cosines = spans_of(document), document.metadata.get("segment_cosines") or ()
        if not spans or len(cosines) != len(spans):
            return passage_span(document)
        scores = [cosine + self._words(document, number) for number, cosine in enumerate(cosines)]
        return Span(*spans[scores.index(max(scores))])

    def grown(self, document: Document, core: Span, free: Span, text: str) -> Span:
        first, last = document.metadata.get("window", free)  # what a chunker of single sentences keeps is the most
        free = Span(max(free.start, min(first, core.start)), min(free.end, max(last, core.end)))
        before = _sentences_before(text, Span(free.start, core.start), self._count)
        after = _sentences_after(text, Span(core.end, free.end), self._count)
        return Span(min([core.start, *(s.start for s in before)]), max([core.end, *(s.end for s in after)]))

    def _words(self, document: Document, number: int) -> float:
        return COVERAGE_WEIGHT * self._asked.share(segment_text(document, number)) if self._asked else 0.0


def _sentences_before(text: str, within: Span, count: int) -> list[Span]:
    """The last `count` sentences within the span, or all when it has fewer."""
    reach = (count + 1) * LONGEST
    while count:
        start = max(within.start, within.end - reach)
        found = sentences(text, start=start, end=within.end, longest=LONGEST)
        if start == within.start or len(found) > count:  # the first one may be a part, cut off by the reach
            return found[-count:]
        reach *= 2
    return []


def _sentences_after(text: str, within: Span, count: int) -> list[Span]:
    """The first `count` sentences within the span, or all when it has fewer."""
    reach = (count + 1) * LONGEST
    while count:
        end = min(within.end, within.start + reach)
        found = sentences(text, start=within.start, end=end, longest=LONGEST)
        if end == within.end or len(found) > count:
            return found[:count]
        reach *= 2
    return []
