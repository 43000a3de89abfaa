"""A question becomes ranked contexts: the retriever that the settings describe, over one base or several."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from langchain_core.caches import InMemoryCache
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever

from models.prompts import using
from models.text import sendable
from retrievers.bases import BasesRetriever, note_failed
from retrievers.coverage import QuestionTerms
from retrievers.expansion import TableRows
from retrievers.filter import EVERY_DOCUMENT, Filter
from retrievers.layers import Helpers, Searched, Texts, build_choice, build_recall
from retrievers.ledger import current, recording
from retrievers.queries import Expansions, Query
from retrievers.query_vectors import QueryVectors
from retrievers.rerank import Rerankers
from retrievers.result import Retrieval, contexts_of
from retrievers.self_query import SelfQuery
from retrievers.words import Words
from settings import Secrets, Settings
from store.errors import StoreError, UnknownBase, UnknownDocument, naming_failures
from store.library import Base
from store.prompts import OwnPrompts
from store.stored import ChunkSpan
from store.stores import Stores, table_of

REMEMBERED_ANSWERS = 256
"""Answers of the chat model to the layers that ask it, kept so that a moved slider does not ask again."""
LONGEST_QUESTION = 2000
"""Characters of a question that are searched for: of a pasted document each word would be looked up, for many seconds."""

MOST_BEGINNINGS = 3
"""A question is begun again when a base was indexed anew meanwhile, but not for ever."""

Opened = Sequence[tuple[Base, Searched]]
Made = TypeVar("Made")


def searchable(question: str) -> str:
    """What is searched for of a question: as much as `LONGEST_QUESTION`, in characters that can be sent."""
    return sendable(question)[:LONGEST_QUESTION]


class Retriever:
    """Finds passages in the bases of a library; one object serves all questions, whatever their settings.

    `secrets` are for rerankers; `cache` is a folder where their scores and the chat model's queries are kept.
    """

    def __init__(self, stores: Stores, secrets: Secrets | None = None, *, cache: Path | None = None) -> None:
        self._stores = stores
        self.prompts = OwnPrompts(stores.library.engine)
        self._vectors = QueryVectors(stores.embeddings)
        self._rerankers = Rerankers(secrets, cache=cache / "rerank" if cache else None)
        self._expansions = Expansions(cache / "queries" if cache else None)
        self._answers = InMemoryCache(maxsize=REMEMBERED_ANSWERS)
        self._searched: dict[str, Searched] = {}
        self._lock = threading.Lock()

    def retrieve(
        self,
        question: str,
        bases: Base | Sequence[Base],
        settings: Settings,
        *,
        model: BaseChatModel | None = None,
        limits: Filter = EVERY_DOCUMENT,
        queries: Sequence[Query] = (),
    ) -> Retrieval:
        """The contexts for a question, from one base or several. `model` is for the layers that ask one; `queries` are searched
        beside the question and what the layers make of it.

        Raises StoreError when no base can be searched; a failing layer only makes a note.
        """
        question, searched = sendable(question), searchable(question)
        helpers = self._helpers(settings, model, queries)

        def found(parts: Opened) -> Retrieval:
            if searched != question:
                current().note("question_cut", limit=LONGEST_QUESTION)
            documents = self._found(searched, parts, settings, helpers, limits)
            held = {document.metadata["base"] for document in documents}
            asked = {base.name: QuestionTerms(searched, part.statistics) for base, part in parts if base.name in held}
            return Retrieval(question, contexts_of(documents, asked), current())

        with using(self.prompts.all()):
            return self.on_one_index([bases] if isinstance(bases, Base) else bases, found)

    def on_one_index(self, bases: Sequence[Base], work: Callable[[Opened], Made]) -> Made:
        """What `work` makes of the opened bases, with a ledger of its own; all of it is of one state of each base.

        It is done again where a base was indexed anew meanwhile (its old table may be gone, and texts have other places), and
        without a base that was deleted meanwhile. Raises StoreError when no base can be searched.
        """
        for beginning in range(1, MOST_BEGINNINGS + 1):
            with recording():
                parts = self.opened(bases)
                try:
                    made = work(parts)
                except (RuntimeError, ValueError, OSError):  # what LanceDB raises of files that are gone has no type of its own
                    if beginning < MOST_BEGINNINGS and self._has_moved(parts):
                        continue
                    with naming_failures(self._stores.library.folder):
                        raise
            if not self._has_moved(parts):
                break
        return made

    def _has_moved(self, parts: Opened) -> bool:
        """Whether another index took the place of one of these, or one of the bases was deleted."""
        try:
            return any(table_of(self._stores.library.by_id(base.id)) != table_of(base) for base, _ in parts)
        except UnknownBase:
            return True

    def words_of(self, bases: Base | Sequence[Base]) -> Words:
        """What the (first) base and the embedder know of words. Raises StoreError."""
        with recording():  # what cannot be opened is noted when it is searched
            (_, first), *_ = self.opened([bases] if isinstance(bases, Base) else bases)
        return Words(first.hits.tokens, self._vectors)

    def is_empty(self, bases: Base | Sequence[Base]) -> bool:
        """Whether the bases hold nothing yet. Raises StoreError."""
        with recording():  # what cannot be opened is noted when it is searched
            return not any(part.store.count() for _, part in self.opened([bases] if isinstance(bases, Base) else bases))

    def opened(self, bases: Sequence[Base]) -> list[tuple[Base, Searched]]:
        """The bases that can be searched, as they are now; of the others there is a note. Raises StoreError when none can be."""
        opened, failures = [], []
        for base in bases:
            try:
                present = self._stores.library.by_id(base.id)
                opened.append((present, self.searched_in(present)))
            except StoreError as error:
                failures.append(error)
                note_failed(current(), base.name, error)
        if not opened:
            raise failures[0]
        return opened

    def _found(
        self,
        question: str,
        parts: Opened,
        settings: Settings,
        helpers: Helpers,
        limits: Filter,
    ) -> list[Document]:
        """What is found within the limits that the question names as well; without those where only that answers it."""
        narrowed = limits
        if settings.retrieval.self_query.enabled:
            reader = SelfQuery(self._stores.library, helpers.model)
            narrowed = reader.limits(question, [base for base, _ in parts], limits)
        if narrowed == limits:
            return self._built(parts, settings, helpers, limits).invoke(question)
        enough = settings.retrieval.evidence_threshold
        with recording() as within:
            found = self._built(parts, settings, helpers, narrowed).invoke(question)
        if not found or within.evidence < enough:
            with recording() as everywhere:
                others = self._built(parts, settings, helpers, limits).invoke(question)
            if not found or everywhere.evidence >= enough:
                current().note("self_query_dropped")
                found, within = others, everywhere
        current().absorb(within)
        return found

    def _built(self, parts: Opened, settings: Settings, helpers: Helpers, limits: Filter) -> BaseRetriever:
        recalls = []
        for base, part in parts:
            conditions = limits.conditions(self._stores.library, base)
            if conditions.doc_ids == ():
                current().note("no_document_fits", base=base.name)
            embedder = self._stores.embeddings.model
            recalls.append(build_recall(part, settings, helpers, conditions, embedder=embedder, granted=limits.terms))
        recall = BasesRetriever(
            retrievers=recalls,
            names=[base.name for base, _ in parts],
            folder=self._stores.library.folder,
            c=settings.retrieval.rrf_c,
        )
        return build_choice(recall, settings, helpers, self._texts(parts), parts[0][1])

    def _helpers(self, settings: Settings, model: BaseChatModel | None, queries: Sequence[Query]) -> Helpers:
        reranker = self._rerankers.of(settings) if settings.retrieval.rerank.enabled else None
        remembering = model.model_copy(update={"cache": self._answers}) if model else None
        return Helpers(remembering, reranker, self._expansions, tuple(queries))

    def _texts(self, parts: Opened) -> Texts:
        library = self._stores.library

        def text_of(doc_id: str) -> str | None:
            try:
                return library.text(doc_id)
            except UnknownDocument:  # deleted a moment ago
                return None

        def pages_of(doc_id: str) -> list[tuple[int, int]]:
            return [(page, start) for page, start, _ in library.pages(doc_id)]

        def chunks_of(doc_id: str) -> list[ChunkSpan]:
            return [span for _, part in parts for span in part.store.chunk_spans(doc_id)]

        @cache
        def rows_of(doc_id: str) -> list[TableRows]:
            chunks = [chunk for _, part in parts for chunk in part.store.chunks_of(doc_id)]
            return [TableRows(chunk.start, chunk.end, chunk.sheet, chunk.rows) for chunk in chunks if chunk.rows]

        return Texts(text_of, pages_of, chunks_of, cache(library.edited_spans), rows_of)

    def searched_in(self, base: Base) -> Searched:
        """The parts that search a base, kept between questions. Raises StoreError."""
        store = self._stores.open(base)
        with self._lock:
            if base.id not in self._searched or self._searched[base.id].store is not store:
                self._searched[base.id] = Searched.of(store, self._vectors)
            return self._searched[base.id]
