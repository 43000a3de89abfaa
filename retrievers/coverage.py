"""Coverage: how much of what a question asks about stands in a text, by its terms weighted with their rarity."""

from __future__ import annotations

from collections.abc import Iterable, Set

from language import content_terms, only_stop_words, term_set
from store.terms import TermStatistics


class QuestionTerms:
    """The terms of a question with their weights in a base.

    Terms that are `granted`, such as the name of the document that a filter limits the search to, ask for nothing, unless the
    question has no others.
    """

    def __init__(self, question: str, statistics: TermStatistics, *, granted: Set[str] = frozenset()) -> None:
        words = content_terms(question)
        self.none = not words or only_stop_words(question)
        """Whether the question asks for nothing: it has no word, or none that says what it is about."""
        self._words = {term: word for term, word in words.items() if term not in granted} or words
        self._weights = statistics.idf(self._words)
        self._total = sum(self._weights.values())

    def share(self, text: str) -> float:
        """The idf-weighted share of the question's terms that the text holds, 0 to 1."""
        held = term_set(text)
        return sum(weight for term, weight in self._weights.items() if term in held) / self._total if self._total else 0.0

    def best_share(self, texts: Iterable[str]) -> float:
        """The largest share of any of the texts; 0 without texts."""
        return max((self.share(text) for text in texts), default=0.0)

    def matched(self, text: str) -> list[str]:
        """The question's words whose terms the text holds, as they were written, in the question's order."""
        held = term_set(text)
        return [word for term, word in self._words.items() if term in held]
