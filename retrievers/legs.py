"""The legs of an ensemble while they are asked: their searches run at the same time, and a failing one spares the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import RetrieverLike

from models import ModelError
from retrievers import ledger
from retrievers.lexical import LexicalRetriever
from retrievers.vector import VectorRetriever


def ask_legs(
    legs: Sequence[RetrieverLike], names: Sequence[str], query: str, run_manager: CallbackManagerForRetrieverRun
) -> list[list[Document]]:
    """What each leg finds, in their order, as are their accounts in the ledger; a leg whose model fails finds nothing.

    All searches are begun before one is waited for. The vector leg comes last: meanwhile it compares what the others found with
    the question.
    """
    asked = [_Asked(leg, name) for leg, name in zip(legs, names, strict=True)]
    order = sorted(asked, key=lambda one: isinstance(one.leg, VectorRetriever))
    for one in order:
        one.begin(query)
    found: list[Document] = []
    for one in order:
        one.ask(query, found, run_manager)
        found += one.documents
    for one in asked:
        ledger.current().absorb(one.book)
    return [one.documents for one in asked]


@dataclass
class _Asked:
    leg: RetrieverLike
    name: str
    documents: list[Document] = field(default_factory=list)
    book: ledger.Ledger = field(default_factory=ledger.Ledger)
    failed: bool = False

    def begin(self, query: str) -> None:
        if isinstance(self.leg, LexicalRetriever | VectorRetriever):
            with self._accounting():
                self.leg.begin(query)

    def ask(self, query: str, others: Sequence[Document], run_manager: CallbackManagerForRetrieverRun) -> None:
        if self.failed:
            return
        more: dict[str, Any] = {"begun": True, "others": others} if isinstance(self.leg, VectorRetriever) else {}
        with self._accounting():
            self.documents = self.leg.invoke(query, {"callbacks": run_manager.get_child(tag=self.name)}, **more)
        for rank, document in enumerate(self.documents, start=1):
            if ledger.score_of(document, self.name) is None:  # a foreign retriever, which gives an order only
                document.metadata.setdefault("scores", {})[self.name] = ledger.Mark(rank, float(-rank))

    @contextmanager
    def _accounting(self) -> Iterator[None]:
        with ledger.recording(self.book):
            try:
                yield
            except ModelError as error:
                self.failed = True
                self.book.note("leg_failed", leg=self.name, error=str(error))
