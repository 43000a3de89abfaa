"""Pairs of Chinese characters as a second view of what the full-text index knows as words.

Where a word ends is a guess in Chinese: a question and a passage may part the same characters in two ways. Words and pairs
together find more than either (Nie, Gao, Zhang and Zhou, 2000, "On the use of words and n-grams for Chinese information
retrieval"); the figures of this project are in benchmarks/quality.py's reports.
"""

from __future__ import annotations

from collections.abc import Iterable

from langchain_core.documents import Document

from language import folded, terms
from language.script import CJK_RUN
from retrievers import ledger
from store.terms import TermStatistics

LEG = "pairs"
PAIRS_WEIGHT = 0.5
"""Of the lexical leg's weight."""


def rank_by_pairs(query: str, statistics: TermStatistics, documents: Iterable[Document]) -> list[Document]:
    """The documents that hold a pair of the query's Chinese characters, by the idf-weighted share of its pairs (0 to 1), best
    first, marked with it; none for a query without such a pair.
    """
    weights = statistics.idf(dict.fromkeys(term for term in terms(query) if CJK_RUN.fullmatch(term)))
    total = sum(weights.values())
    if not total:
        return []
    texts = ((folded(document.page_content), document) for document in documents)
    shares = [(sum(weight for pair, weight in weights.items() if pair in text) / total, document) for text, document in texts]
    ranked = sorted((found for found in shares if found[0] > 0), key=lambda found: -found[0])
    ledger.mark([document for _, document in ranked], LEG, [share for share, _ in ranked])
    return [document for _, document in ranked]
