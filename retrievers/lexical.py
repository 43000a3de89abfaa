"""The lexical leg: BM25 over LanceDB's full-text index. A chunk that holds none of the words is never returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from language import folded, term_words, without_particles, without_stop_words
from language.script import CJK_RUN
from retrievers import ledger
from retrievers.hits import Hits, Scored
from store.filters import EVERYTHING, Conditions
from store.terms import TermStatistics

LEG = "bm25"
MOST_PARTS = 8
"""Pairs of characters that are looked up at most, the rarest of the query."""


def searched_words(query: str, tokens_of: Callable[[str], list[str]]) -> str:
    """The query without stop words; `tokens_of` is how the index parts it, so that no word of it is cut in two."""
    words = without_stop_words(query, particles=False)
    return without_particles(words, tokens_of(words)) if CJK_RUN.search(words) else words


class LexicalRetriever(BaseRetriever):
    """Chunks that share words with the query, best BM25 first; stop words of the query count only when it has nothing else.

    The full-text index knows 新手机 as 新手 and 机, so 手机 is not found there. When fewer than `bigrams_below` chunks hold one
    of the words, those that hold a pair of the query's Chinese characters come behind, by the idf of the pairs they hold.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    hits: Hits
    statistics: TermStatistics
    k: int = Field(default=200, ge=1)
    strip_stop_words: bool = True
    bigrams_below: int = Field(default=5, ge=0)
    conditions: Conditions = EVERYTHING

    def begin(self, query: str) -> None:
        """Begin the search that `invoke` will wait for."""
        self.hits.begin_text(self._words(query), depth=self.k, conditions=self.conditions)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        book, depth = ledger.current(), k or self.k
        with book.stage(LEG) as stage:
            words = self._words(query)
            found = self.hits.text(words, depth=depth, conditions=self.conditions)
            if len(found) < min(self.bigrams_below, depth) and CJK_RUN.search(words):
                found = self._with_parts(words, found, depth)
            documents: list[Document] = [document for document, _ in found]
            ledger.mark(documents, LEG, [score for _, score in found])
            stage.added = len(documents)
        if not documents and self.conditions.doc_ids != ():  # of no document, another note tells
            book.note("no_lexical_match", words=words)
        return documents

    def _words(self, query: str) -> str:
        return searched_words(query, self.hits.tokens) if self.strip_stop_words else query

    def _with_parts(self, words: str, found: Scored, depth: int) -> Scored:
        written = {term: word for term, word in term_words(words).items() if CJK_RUN.fullmatch(term)}
        weights = self.statistics.idf(written)
        parts = sorted(weights, key=lambda part: -weights[part])[:MOST_PARTS]
        in_both = list(dict.fromkeys([*parts, *(written[part] for part in parts)]))  # older rows have no other form
        known = {document.id for document, _ in found}
        least = min((score for _, score in found), default=float("inf"))
        more = [
            (document, _weight_held(weights, parts, document.page_content))
            for document, _ in self.hits.substrings(in_both, depth=depth, conditions=self.conditions)
            if document.id not in known
        ]
        more.sort(key=lambda hit: (-hit[1], hit[0].metadata.get("source", ""), hit[0].metadata.get("start", 0)))
        highest = more[0][1] if more else 0.0
        scale = min(1.0, 0.9 * least / highest) if highest > 0 else 1.0  # behind what the index knows as words
        if more:
            ledger.current().note("found_inside_words", parts=" ".join(written[part] for part in parts), count=len(more))
        return [*found, *((document, scale * score) for document, score in more)][:depth]


def _weight_held(weights: Mapping[str, float], parts: Sequence[str], text: str) -> float:
    same = folded(text)
    return sum(weights[part] for part in parts if part in same)
