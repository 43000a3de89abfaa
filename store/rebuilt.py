"""The documents of a base as a re-index made them, kept beside the ones in use until all are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from store import edit_rows
from store.database import now
from store.edits import Edit
from store.errors import naming_failures
from store.library import Base, Library, StoredDocument
from store.rows import BaseRow, DocumentRow, RebuiltRow

_COLUMNS = ("status", "text", "pages", "chunks", "report")


class Rebuilt:
    """The table `rebuilt` of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def clear(self, base: Base) -> None:
        """Forget what an unfinished re-index left."""
        with Session(self._library.engine) as session, session.begin():
            session.execute(delete(RebuiltRow).where(RebuiltRow.base_id == base.id))

    def put(self, document: StoredDocument, *, text: str, pages: Sequence[Sequence[int]]) -> None:
        """Keep a document's new row."""
        values = {"doc_id": document.doc_id, "base_id": document.base_id, "text": text, "pages": [list(page) for page in pages]}
        values |= {name: getattr(document, name) for name in ("status", "chunks", "report")}
        with naming_failures(self._library.folder), Session(self._library.engine) as session, session.begin():
            statement = insert(RebuiltRow).values(values)
            session.execute(statement.on_conflict_do_update(index_elements=[RebuiltRow.doc_id], set_=values))

    def swap(self, base: Base, passport: Mapping[str, Any], *, edits: Mapping[str, Sequence[Edit]]) -> None:
        """Put the new rows in place of the old ones and write the passport and these documents' edits, all in one step."""
        new = {name: _new(name) for name in _COLUMNS}
        with naming_failures(self._library.folder), Session(self._library.engine) as session, session.begin():
            rebuilt = DocumentRow.doc_id.in_(select(RebuiltRow.doc_id).where(RebuiltRow.base_id == base.id))
            session.execute(update(DocumentRow).where(rebuilt).values(new | {"updated_at": now()}))
            session.execute(delete(RebuiltRow).where(RebuiltRow.base_id == base.id))
            for doc_id, own in edits.items():
                edit_rows.write(session, doc_id, own)
            session.execute(update(BaseRow).where(BaseRow.id == base.id).values(passport=dict(passport)))


def _new(name: str) -> Any:
    """The column of the new row of the same document."""
    return select(getattr(RebuiltRow, name)).where(RebuiltRow.doc_id == DocumentRow.doc_id).scalar_subquery()
