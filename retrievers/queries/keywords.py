"""Keywords: what full text is searched for when a question is stripped of everything that only makes it a question."""

from __future__ import annotations

from language import content_terms, is_cjk, without_stop_words
from models.listing import listed
from retrievers.lexical import LEG as LEXICAL
from retrievers.queries.query import Query, make
from retrievers.queries.writer import QueryWriter
from store.terms import TermStatistics

MOST = 10
"""Keywords; of a longer question the rarest words are kept, since common ones drown them in BM25's sum."""


class Keywords:
    """The question's content words, or with a model the words that it names, for the lexical leg."""

    layer = "keywords"

    def __init__(self, statistics: TermStatistics, writer: QueryWriter | None = None) -> None:
        self._statistics, self._writer = statistics, writer

    def queries(self, question: str) -> list[Query]:
        """One query, of the model's words in their order, else of the question's. Raises ModelError."""
        named = listed(self._writer.write("keywords", question))[:MOST] if self._writer else []
        return make("keywords", [" ".join(named) or content_words(question, self._statistics)], legs=(LEXICAL,))


def content_words(question: str, statistics: TermStatistics) -> str:
    """The question without stop words and question words of both languages; at most ten words, the rarest of the base.

    Chinese stays in the pieces between its stop words: LanceDB's tokenizer parts them better than bigrams would.
    """
    words = [word for word in (_bare(word) for word in without_stop_words(question).split()) if word]
    if len(words) <= MOST:
        return " ".join(words)
    rarity = {word: max(statistics.idf(content_terms(word)).values(), default=0.0) for word in words}
    kept = set(sorted(rarity, key=lambda word: -rarity[word])[:MOST])
    return " ".join(word for word in dict.fromkeys(words) if word in kept)


def _bare(word: str) -> str:
    """The word without punctuation at its ends; "" when nothing of it is a letter or digit. Keeps C++ and #42."""
    bare = word.strip("\"'`.,;:!?()[]{}“”‘’。，、；：！？（）【】《》「」…")
    return bare if any(c.isalnum() or is_cjk(c) for c in bare) else ""
