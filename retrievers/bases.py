"""Several bases at once: what each found becomes one list, by rank, as scores of different collections cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.fusion import fuse
from settings import Fusion
from store.errors import StoreError, naming_failures

STAGE = "bases"
EVIDENCE_SCALE = 0.05
"""A base whose evidence is this much lower than the best one's counts 1/e of it: with rrf_c 60 its first comes after the other's
hundredth. Bases that answer equally well take turns."""


class BasesRetriever(BaseRetriever):
    """Asks the retriever of each base and fuses the lists by weighted reciprocal rank; one base's list stays as it is.

    `retrievers` write the evidence of their base into the ledger. A base that cannot be searched, as where its files in `folder`
    are damaged, is left out with a note, unless none can be: then its StoreError is raised.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retrievers: list[BaseRetriever] = Field(min_length=1)
    names: list[str]
    folder: Path = Path()
    c: int = Field(default=60, ge=1)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **_: Any) -> list[Document]:
        book, lists, failures = ledger.current(), list[list[Document]](), list[StoreError]()
        evidences, weighted, asked = list[float](), list[dict[str, float]](), list[str]()
        for name, retriever in zip(self.names, self.retrievers, strict=True):
            with ledger.recording() as own:
                try:
                    with naming_failures(self.folder):
                        found = retriever.invoke(query, {"callbacks": run_manager.get_child(tag=name)})
                except StoreError as error:
                    failures.append(error)
                    note_failed(book, name, error)
                    continue
            lists.append(_of_base(found, name, after=len(book.queries)))
            evidences.append(own.evidence)
            weighted.append(own.weights)
            asked.append(name)
            if len(self.names) > 1:
                own.notes = [ledger.Note(note.code, {**note.params, "base": name}) for note in own.notes]
            for stage in own.stages:
                stage.base = name if len(self.names) > 1 else ""
                stage.query += len(book.queries) if stage.query else 0
            book.absorb(own)
        if not lists:
            raise failures[0]
        if len(self.names) == 1:
            return lists[0]
        counts = [math.exp((evidence - max(evidences)) / EVIDENCE_SCALE) for evidence in evidences]
        book.weights.clear()
        book.weights |= weighted[counts.index(max(counts))]
        book.base_weights |= {
            name: {**legs, STAGE: round(count, 4)} for name, legs, count in zip(asked, weighted, counts, strict=True)
        }
        return self._fused(lists, counts)

    def _fused(self, lists: Sequence[list[Document]], weights: Sequence[float]) -> list[Document]:
        with ledger.current().stage(STAGE, taken_in=sum(map(len, lists))):
            by_id = {str(document.id): document for documents in lists for document in documents}
            legs = [{str(document.id): float(-rank) for rank, document in enumerate(documents)} for documents in lists]
            scores = fuse(legs, weights, method=Fusion.RRF, c=self.c)
            fused = [by_id[key] for key in scores]
            ledger.mark(fused, STAGE, list(scores.values()))
        return fused


def note_failed(book: ledger.Ledger, base: str, error: StoreError) -> None:
    """Write down that a base could not be searched: the message, and the code with its values for who has other words for it."""
    book.note("base_failed", base=base, error=str(error), told={"code": error.code, "params": error.params})


def _of_base(documents: list[Document], name: str, *, after: int) -> list[Document]:
    """The documents with their base's name; the queries made for them are numbered `after` those for other bases."""
    for document in documents:
        document.metadata["base"] = name
        if after and "queries" in document.metadata:
            document.metadata["queries"] = [(n + after if n else 0, rank) for n, rank in document.metadata["queries"]]
    return documents
