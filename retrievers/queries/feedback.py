"""Pseudo-relevance feedback: words of the first hits are searched for as well (Rocchio, 1971, without negative examples).

A term's weight is its mean tf-idf over the hits, each hit's vector of unit length, as Rocchio's centroid has it. That the
question's words stay in the query is RM3's (Abdul-Jaleel et al., UMass at TREC 2004). RM3 takes ten terms of ten documents;
passages are shorter, and further down they are less often about the question.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from langchain_core.documents import Document

from language import content_terms, terms
from retrievers.lexical import LEG as LEXICAL
from retrievers.queries.keywords import content_words
from retrievers.queries.query import Query, make
from store.terms import TermStatistics

HITS, TERMS = 5, 8
SHARED = 2
"""A term must be in so many of the hits: what stands in one alone is more often its own than the subject's, and a bigram across
two Chinese words is seldom there twice."""


class RelevanceFeedback:
    """The simpler form of multi-query, for when there is no model: the question's words and those typical of what it finds."""

    layer = "multi_query"

    def __init__(self, statistics: TermStatistics) -> None:
        self._statistics = statistics

    def queries(self, question: str, found: Sequence[Document]) -> list[Query]:
        """One query for the lexical leg; none when the first hits share no further word."""
        asked = content_terms(question)
        weights, words = self._centroid([document.page_content for document in found[:HITS]])
        further = sorted((term for term in weights if term not in asked), key=lambda term: -weights[term])[:TERMS]
        if not further:
            return []
        own = content_words(question, self._statistics)
        return make("feedback", [" ".join([own, *(words[term] for term in further)])], legs=(LEXICAL,))

    def _centroid(self, texts: Sequence[str]) -> tuple[dict[str, float], dict[str, str]]:
        """The weight of each term that several texts share, and the word it was written as."""
        weights: dict[str, float] = defaultdict(float)
        words: dict[str, str] = {}
        held: Counter[str] = Counter()
        for text in texts:
            content = {term: word for term, word in content_terms(text).items() if len(term) > 1 and not term.isdigit()}
            counts = Counter(term for term in terms(text) if term in content)
            vector = {term: counts[term] * idf for term, idf in self._statistics.idf(counts).items()}
            length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
            for term, weight in vector.items():
                weights[term] += weight / length / len(texts)
            held.update(counts.keys())
            words = content | words
        return {term: weight for term, weight in weights.items() if held[term] >= SHARED}, words
