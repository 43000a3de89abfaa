"""Changes of a base that happen wholly or not at all, though its rows are in SQLite and its chunks in LanceDB.

A change is written down first (table `changes`), then the chunks are committed, then the row; with the row the change is struck
off. All that under the base's lock, so a change that someone finds while holding it was left by a process that was killed; it is
done again from the kept bytes. When the commit of the chunks fails, the change is struck off and the old document is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session, sessionmaker

from store import edit_rows
from store.edits import Edit
from store.errors import StoreError, naming_failures
from store.library import Base, StoredDocument, document_id
from store.rows import ChangeRow
from store.schema import Chunk
from store.stores import Stores
from store.table import Heir

EDITING = {"edits": True}
"""Stands for the settings of a change whose chunks need only be made what the document's edits say."""


@dataclass(frozen=True)
class Change:
    """A change that a killed process left: `version` are the bytes to index with `settings`, None a deletion."""

    doc_id: str
    source: str
    version: str | None
    settings: dict[str, Any]

    @property
    def of_edits(self) -> bool:
        """Whether the document is there, and its chunks need only be made what its edits say."""
        return self.settings == EDITING


class Changes:
    """Puts documents into bases and takes them out."""

    def __init__(self, stores: Stores) -> None:
        self._stores, self._library = stores, stores.library

    @contextmanager
    def of(self, base: Base) -> Iterator[Base]:
        """Hold the base's lock; gives the base as it is now. Raises UnknownBase, NotWritable."""
        with self._library.lock(base.id), naming_failures(self._library.folder):
            yield self._library.by_id(base.id)

    def put(
        self,
        base: Base,
        document: StoredDocument,
        chunks: Sequence[Chunk],
        *,
        data: bytes,
        text: str,
        pages: Sequence[Sequence[int]],
        settings: dict[str, Any],
        edits: Sequence[Edit] | None = None,
        report: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        """Store a document with its chunks, in place of its older version; if that has further names, it lives on under them.

        `edits` are those of the new version, as its chunks have them; None leaves those that are there. `report` gives what is
        kept of it as its report once the chunks are stored, so that it can tell how long that took. To be called within `of`.
        Raises StoreError; unless the last step fails, the old document is whole then.
        """
        store = self._stores.open(base)
        self._library.files.room_for(len(data) + _size(text, chunks))
        before, began = self._library.with_id(document.doc_id), self._began(document.doc_id)
        self._stores.sign(base, settings)
        with self._library.files.keeping(data):
            self._begin(base, Change(document.doc_id, document.source, document.version, settings))
        try:
            heir = _heir(base, before) if before and before.version != document.version else None
            stored = store.replace_document(document.doc_id, chunks, fresh=not (before or began), heir=heir)
        except Exception:
            self.abandon(document.doc_id, document.version)
            raise
        if stored != len(chunks):
            message = f"{document.source}: {len(chunks)} chunks were made and {stored} stored. Add it again."
            raise StoreError(message, code="incomplete", chunks=len(chunks), stored=stored)
        if report:
            document = replace(document, report=report())
        handed = (before, heir.source) if before and heir else None
        if handed:
            document = replace(document, tags=handed[0].tags)  # the heir has them as well: they were given to both names
        self._library.put(base, document, text=text, pages=pages, edits=edits, heir=handed)
        if before:
            self._library.files.forget([before.version])

    def remove(self, base: Base, document: StoredDocument) -> None:
        """Take a document out; if it has further names, it lives on under them. To be called within `of`. Raises StoreError."""
        store = self._stores.open_any(base)
        self._begin(base, Change(document.doc_id, document.source, None, {}))
        heir = _heir(base, document)
        if heir:
            store.replace_document(document.doc_id, [], heir=heir)
            self._library.hand_over(document, heir.source)
        else:
            store.delete_documents([document.doc_id])
            self._library.delete_document(document.doc_id)

    @contextmanager
    def editing(self, base: Base, document: StoredDocument, edits: Sequence[Edit]) -> Iterator[None]:
        """Make these the edits of a document; its chunks are to be made so in the block, in one commit.

        When that fails, the edits are again what they were. To be called within `of`.
        """
        before = self._library.edits(document.doc_id)
        with self._editing(document.doc_id, edits) as session:
            self._begin(base, Change(document.doc_id, document.source, document.version, dict(EDITING)), within=session)
        try:
            yield
        except Exception:
            with self._editing(document.doc_id, before):
                pass
            raise
        with Session(self._library.engine) as session, session.begin():
            session.execute(delete(ChangeRow).where(ChangeRow.doc_id == document.doc_id))

    def clear(self, base: Base, doc_id: str) -> None:
        """Take out a document, or what a killed process left of it, if there is any. To be called within `of`."""
        document = self._library.with_id(doc_id)
        if document:
            self.remove(base, document)
        elif self._began(doc_id):
            self._stores.open_any(base).delete_documents([doc_id])
            self.abandon(doc_id, None)

    def left(self, base: Base) -> list[Change]:
        """The changes that killed processes left. To be called within `of`."""
        with Session(self._library.engine) as session:
            rows = session.scalars(select(ChangeRow).where(ChangeRow.base_id == base.id)).all()
            return [Change(row.doc_id, row.source, row.version, dict(row.settings)) for row in rows]

    def abandon(self, doc_id: str, version: str | None) -> None:
        """Strike a change off that will not be made, and let go of its bytes."""
        with Session(self._library.engine) as session, session.begin():
            session.execute(delete(ChangeRow).where(ChangeRow.doc_id == doc_id))
        self._library.files.forget([version] if version else [])

    def _began(self, doc_id: str) -> bool:
        with Session(self._library.engine) as session:
            return session.get(ChangeRow, doc_id) is not None

    @contextmanager
    def _editing(self, doc_id: str, edits: Sequence[Edit]) -> Iterator[Session]:
        """Write edits, with no change of the document under way unless the block begins one, in one transaction."""
        with Session(self._library.engine) as session, session.begin():
            edit_rows.write(session, doc_id, edits)
            session.execute(delete(ChangeRow).where(ChangeRow.doc_id == doc_id))
            yield session

    def _begin(self, base: Base, change: Change, *, within: Session | None = None) -> None:
        values = vars(change) | {"base_id": base.id}
        with nullcontext(within) if within else sessionmaker(self._library.engine).begin() as session:
            statement = insert(ChangeRow).values(values)
            session.execute(statement.on_conflict_do_update(index_elements=[ChangeRow.doc_id], set_=values))


def _heir(base: Base, document: StoredDocument | None) -> Heir | None:
    """The first of the document's further names."""
    if document is None or not document.aliases:
        return None
    name = document.aliases[0]
    return Heir(document_id(base, name), name, document.version)


def _size(text: str, chunks: Sequence[Chunk]) -> int:
    """About the bytes that a document takes: its text once and in chunks, indexed and packed, and vectors of segments twice."""
    vectors = sum(chunk.segment_vectors.size for chunk in chunks)
    return 5 * 2 * len(text) + 2 * 2 * vectors + 4 * sum(chunk.vector.size for chunk in chunks)
