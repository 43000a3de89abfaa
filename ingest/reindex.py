"""A base indexed again with other settings or another embedder: built beside the old index, which answers until all is there."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from uuid import uuid4

from ingest.before import Before
from ingest.corrections import carry
from ingest.errors import LoadError
from ingest.prepare import Preparation
from ingest.prepared import Prepared
from ingest.report import Clock, FileReport, failed
from ingest.sandbox import Sandbox
from models import ModelError
from settings import Settings
from store.changes import Changes
from store.edit_rows import NO_EDITS
from store.edits import Edit
from store.errors import StoreError
from store.library import Base, StoredDocument
from store.rebuilt import Rebuilt
from store.stores import FIRST_TABLE, Stores
from store.written import Written


class Reindex:
    """Indexes one base again from the kept bytes, with the embedder of the stores; files are read in `sandbox`.

    Of files that a password closes, which is not kept, the stored text is cut anew.
    """

    def __init__(self, stores: Stores, base: Base, settings: Settings, *, sandbox: Sandbox | None = None) -> None:
        self._stores, self._library = stores, stores.library
        self._base, self._settings = base, settings
        self._rebuilt = Rebuilt(stores.library)
        self._preparation = Preparation(stores.embeddings, sandbox or Sandbox(), Written(stores.library))
        self._table = f"{FIRST_TABLE}-{uuid4().hex[:8]}"
        self._chunks = stores.beside(base, self._table)
        self._tried: dict[str, tuple[str, list[Edit]]] = {}
        self._edits: dict[str, list[Edit]] = {}
        self._failed: set[str] = set()

    def run(self) -> Generator[FileReport, None, None]:
        """Index every document, with a report each as it is done, then swap; the old index goes when the base is next tidied.

        Documents may be added and deleted meanwhile. When one fails, or the process is killed, the old index stays as it is.
        Raises Occupied when another re-index of the base is under way, NotWritable when the new index cannot be written.
        """
        with self._library.lock(f"{self._base.id}.reindex", timeout=0):
            with Changes(self._stores).of(self._base) as now:
                self._stores.tidy(now)
                self._rebuilt.clear(now)
            for document in self._library.documents(self._base):
                yield self._again(document)
            with Changes(self._stores).of(self._base) as now:
                late = self._catch_up(now)
                if not self._failed:
                    self._chunks.optimize()
                    settings = self._settings.ingest.model_dump(mode="json")
                    passport = self._stores.passport(now, settings, table=self._table)
                    self._rebuilt.swap(now, passport, edits=self._edits)
            yield from late

    def _catch_up(self, now: Base) -> list[FileReport]:
        """Index what was added, replaced or edited since the beginning, and take out what was deleted."""
        documents = {document.doc_id: document for document in self._library.documents(now)}
        gone = set(self._tried) - set(documents)
        if gone:
            self._chunks.delete_documents(sorted(gone))
            self._failed -= gone
            self._edits = {doc_id: edits for doc_id, edits in self._edits.items() if doc_id not in gone}
        return [self._again(d) for d in documents.values() if self._tried.get(d.doc_id) != self._state(d)]

    def _state(self, document: StoredDocument) -> tuple[str, list[Edit]]:
        """What a document is indexed from."""
        return document.version, [] if document.edited == NO_EDITS else self._library.edits(document.doc_id)

    def _again(self, document: StoredDocument) -> FileReport:
        clock, fresh = Clock(), document.doc_id not in self._tried
        self._tried[document.doc_id] = _, edits = self._state(document)
        self._failed.discard(document.doc_id)
        try:
            prepared = self._prepared(document, clock)
            prepared, kept = carry(edits, prepared, embeddings=self._stores.embeddings, settings=self._settings)
            if edits:
                self._edits[document.doc_id] = kept
            else:
                self._edits.pop(document.doc_id, None)
            with clock("store"):
                self._store(document, prepared, clock=clock, fresh=fresh)
        except (LoadError, ModelError, StoreError) as error:
            self._failed.add(document.doc_id)
            return failed(document.source, error, more="Until this is mended or the document deleted, the old index stays.")
        return replace(prepared.report(replaced=False), seconds=clock.seconds)

    def _prepared(self, document: StoredDocument, clock: Clock) -> Prepared:
        data = self._library.files.read(document.version)
        before = Before(self._stores, self._base, document)
        for event in self._preparation.prepare(
            self._base, document.source, data, settings=self._settings, clock=clock, before=before
        ):
            if isinstance(event, Prepared):
                return event
        raise AssertionError("a preparation ends with its result")

    def _store(self, document: StoredDocument, prepared: Prepared, *, clock: Clock, fresh: bool) -> None:
        stored = self._chunks.replace_document(prepared.doc_id, prepared.rows, fresh=fresh)
        if stored != len(prepared.rows):
            message = f"{document.source}: {len(prepared.rows)} chunks were made and {stored} stored."
            raise StoreError(message, code="incomplete", chunks=len(prepared.rows), stored=stored)
        row = prepared.row(self._base, replace(prepared.report(replaced=False), seconds=clock.so_far()))
        self._rebuilt.put(row, text=prepared.text, pages=prepared.whole.pages)
        self._chunks.optimize_when_due()
