"""Multi-query: LangChain's MultiQueryRetriever, which keeps ranks, for queries of every kind (retrievers/queries).

Overridden is what loses information there: the union forgets which query found a document and at which rank, and compares whole
documents; a query is for all legs; the question itself is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from langchain_classic.retrievers.multi_query import MultiQueryRetriever
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable
from langchain_core.runnables.config import ContextThreadPoolExecutor, run_in_executor
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.ensemble import ScoredEnsembleRetriever
from retrievers.fusion import fuse
from retrievers.queries.expansion import QueryExpansion
from retrievers.queries.query import Query
from settings import Fusion

STAGE = "multi_query"
AT_ONCE = 4
"""Queries that are searched at the same time."""
ABOUT_THE_WORDS = frozenset(["no_lexical_match", "found_inside_words"])
"""Notes on a query's words, which are kept of the question only: nobody typed those of the others."""


@dataclass(frozen=True)
class _Answer:
    """What one query found, also by id in order of rank; `marks` as they were when it had found them."""

    query: Query
    found: list[Document]
    documents: dict[str, Document]
    ranks: dict[str, int]
    marks: dict[str, dict[str, ledger.Mark]]
    book: ledger.Ledger


class MultiQuery(MultiQueryRetriever):
    """Asks `retriever` the question and each query that `llm_chain` makes of it, and fuses their lists by weighted RRF.

    `for_legs` gives a retriever of some legs only, for queries that are not for all; of an ensemble it is made here. Ranks are
    fused, not scores, since scores of different queries have no common scale. With no further query the list stays as it is.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    llm_chain: Runnable[dict[str, str], list[Query]]
    for_legs: Callable[[tuple[str, ...]], BaseRetriever] | None = None
    c: int = Field(default=60, ge=1)
    k: int | None = Field(default=None, ge=1)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        with ContextThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            expanding = pool.submit(self._expanded, query, run_manager)  # the model writes while the question is searched
            original = self._ask(0, Query(query), run_manager)
            made, told = expanding.result()
            if isinstance(self.llm_chain, QueryExpansion):
                made = self.llm_chain.complete(query, made, original.found)
            others = list(pool.map(lambda number: self._ask(number, made[number - 1], run_manager), range(1, len(made) + 1)))
        if not others:
            told.stages.clear()
            for book in (original.book, told):
                ledger.current().absorb(book)
            return original.found[: k or self.k]
        told.queries = list(made)
        return self._fused([original, *others], told, k or self.k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await run_in_executor(None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), k=k)

    def generate_queries(self, question: str, run_manager: CallbackManagerForRetrieverRun) -> list[str]:
        """The texts of the queries beside the question."""
        return [query.text for query in self._expanded(question, run_manager)[0]]

    def _expanded(self, question: str, run_manager: CallbackManagerForRetrieverRun) -> tuple[list[Query], ledger.Ledger]:
        with ledger.recording() as book:
            return self.llm_chain.invoke({"question": question}, {"callbacks": run_manager.get_child(tag="queries")}), book

    def _ask(self, number: int, query: Query, run_manager: CallbackManagerForRetrieverRun) -> _Answer:
        with ledger.recording() as book, book.asking(number):
            retriever = self._restricted(query.legs) if query.legs else self.retriever
            found = retriever.invoke(query.text, {"callbacks": run_manager.get_child(tag=f"query_{number}")})
        if number > 0:  # the weights to show are those of the question
            book.weights.clear()
            book.notes = [note for note in book.notes if note.code not in ABOUT_THE_WORDS]
        return _answer(query, found, book)

    def _restricted(self, legs: tuple[str, ...]) -> BaseRetriever:
        if self.for_legs:
            return self.for_legs(legs)
        return restricted(self.retriever, legs) if isinstance(self.retriever, ScoredEnsembleRetriever) else self.retriever

    def _fused(self, answers: Sequence[_Answer], told: ledger.Ledger, k: int | None) -> list[Document]:
        weights = [answer.query.weight for answer in answers]
        scores = fuse([dict.fromkeys(answer.ranks, 0.0) for answer in answers], weights, method=Fusion.RRF, c=self.c)
        fused = [_best(key, answers, self.c) for key in scores]
        book = ledger.current()
        for own in (answers[0].book, told, *(answer.book for answer in answers[1:])):
            book.absorb(_settled(own, set(scores)))
        with book.stage(STAGE, taken_in=sum(len(answer.ranks) for answer in answers)) as stage:
            stage.merged = stage.taken_in - len(fused)
            ledger.mark(fused, STAGE, list(scores.values()))
            if k is not None:
                book.drop(stage, fused[k:], "below_depth")
        return fused[:k]


def restricted(ensemble: ScoredEnsembleRetriever, legs: tuple[str, ...]) -> ScoredEnsembleRetriever:
    """The ensemble with these of its legs only, which keep their weights."""
    kept = [number for number, name in enumerate(ensemble.names) if name in legs]
    parts = {name: [getattr(ensemble, name)[number] for number in kept] for name in ("retrievers", "names", "weights")}
    return ensemble.model_copy(update=parts)


def _answer(query: Query, found: list[Document], book: ledger.Ledger) -> _Answer:
    documents: dict[str, Document] = {}
    for document in found:
        documents.setdefault(document.id or document.page_content, document)
    marks = {key: dict(document.metadata.get("scores", {})) for key, document in documents.items()}
    ranks = {key: rank for rank, key in enumerate(documents, start=1)}
    return _Answer(query, found, documents, ranks, marks, book)


def _best(key: str, answers: Sequence[_Answer], c: int) -> Document:
    """The document as the query found it that counts most for it; legs that this one did not ask keep the next one's mark."""
    ranks = [(number, answer.ranks[key]) for number, answer in enumerate(answers) if key in answer.ranks]
    by_weight = sorted(ranks, key=lambda place: -answers[place[0]].query.weight / (c + place[1]))
    marks: dict[str, ledger.Mark] = {}
    for number, _ in by_weight:
        marks = answers[number].marks[key] | marks
    document = answers[by_weight[0][0]].documents[key]
    document.metadata |= {"scores": marks, "queries": ranks}
    return document


def _settled(book: ledger.Ledger, found: set[str]) -> ledger.Ledger:
    """The account of one query, in which a candidate that another query brought on is merged into that one instead of dropped."""
    again = [drop for drop in book.drops if drop.chunk_id in found]
    for stage in book.stages:
        count = sum(drop.stage == stage.name for drop in again)
        stage.dropped, stage.merged = stage.dropped - count, stage.merged + count
    return replace(book, drops=[drop for drop in book.drops if drop.chunk_id not in found])
