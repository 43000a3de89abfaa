"""All transformations of a question at once, as a LangChain Runnable: {"question": text} to the queries to search beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from langchain_core.documents import Document
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ContextThreadPoolExecutor

from models import ModelError
from retrievers import ledger
from retrievers.queries.feedback import RelevanceFeedback
from retrievers.queries.query import Query, balanced, distinct

STAGE = "expand_query"
AT_ONCE = 4
"""Calls to the model at the same time; a local one answers them one after the other anyway."""


class Transformation(Protocol):
    """A way from a question to further queries; `layer` is its section in the settings."""

    @property
    def layer(self) -> str:
        """The section's name."""

    def queries(self, question: str) -> list[Query]:
        """The queries, without the question itself. Raises ModelError."""


class QueryExpansion(Runnable[dict[str, str], list[Query]]):
    """Runs the transformations side by side; one whose model fails brings nothing and makes a note.

    `without_model` names the layers that are on but can do nothing, or (multi_query) only something simpler, without a model.
    `given` are queries that were made before.
    """

    def __init__(
        self,
        transformations: Sequence[Transformation],
        *,
        feedback: RelevanceFeedback | None = None,
        without_model: Sequence[str] = (),
        simpler: Sequence[str] = (),
        given: Sequence[Query] = (),
        legs: Collection[str] = (),
    ) -> None:
        self._transformations, self._feedback = tuple(transformations), feedback
        self._without_model, self._simpler = tuple(without_model), tuple(simpler)
        self._given, self._legs = tuple(given), frozenset(legs)

    def invoke(self, input: dict[str, str], config: RunnableConfig | None = None, **kwargs: Any) -> list[Query]:
        """The queries beside the question, without repetitions, in the order of the transformations."""
        return self._call_with_config(lambda inputs: self._queries(inputs["question"]), input, config, **kwargs)

    def complete(self, question: str, queries: Sequence[Query], found: Sequence[Document]) -> list[Query]:
        """The queries and what the first hits add to them, with the weights they are fused by."""
        more = self._feedback.queries(question, found) if self._feedback else []
        wanted = [query for query in [*queries, *more] if not query.legs or not self._legs or self._legs & set(query.legs)]
        return balanced(distinct(question, wanted))

    def _queries(self, question: str) -> list[Query]:
        book = ledger.current()
        for layer in self._without_model:
            book.note("needs_llm", layer=layer)
        for layer in self._simpler:
            book.note("simpler_without_llm", layer=layer)
        if not self._transformations or not question.strip():
            return distinct(question, self._given)
        with book.stage(STAGE), ContextThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            asked = [pool.submit(transformation.queries, question) for transformation in self._transformations]
            found = list(self._given)
            for transformation, answer in zip(self._transformations, asked, strict=True):
                try:
                    found += answer.result()
                except ModelError as error:
                    book.note("expansion_failed", layer=transformation.layer, error=str(error))
        return distinct(question, found)
