"""What a chat model wrote for documents, kept by what it was shown: it is asked once, whatever is indexed again later."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from store.database import now
from store.errors import naming_failures
from store.library import Library
from store.rows import DocumentRow, WrittenRow

AT_ONCE = 500
"""Values in one condition, of which SQLite takes a bounded number."""


@dataclass(frozen=True)
class Text:
    """What was written: `value` is JSON; `key` stands for what the model was shown, `asked` for the model and its task."""

    kind: str
    key: str
    asked: str
    value: Any


class Written:
    """The table `written` of a library. It goes with its documents: what was written of a deleted one is gone as well."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def of(self, doc_id: str) -> dict[tuple[str, str], Text]:
        """All that was written for a document, by kind and key."""
        with Session(self._library.engine) as session:
            rows = session.scalars(select(WrittenRow).where(WrittenRow.doc_id == doc_id)).all()
            return {(row.kind, row.key): Text(row.kind, row.key, row.asked, row.value) for row in rows}

    def elsewhere(self, keys: Collection[str]) -> dict[tuple[str, str, str], Text]:
        """What was written for the same texts in whatever document, by kind, key and what was asked."""
        wanted, found = sorted(keys), {}
        with Session(self._library.engine) as session:
            for start in range(0, len(wanted), AT_ONCE):
                these = WrittenRow.key.in_(wanted[start : start + AT_ONCE])
                for row in session.scalars(select(WrittenRow).where(these)):
                    found[row.kind, row.key, row.asked] = Text(row.kind, row.key, row.asked, row.value)
        return found

    def keep(self, doc_id: str, texts: Iterable[Text]) -> None:
        """Keep what was written for a document, over what was there for the same; not when the document is gone.

        Raises NotWritable.
        """
        with naming_failures(self._library.folder), Session(self._library.engine) as session, session.begin():
            if session.scalar(select(DocumentRow.doc_id).where(DocumentRow.doc_id == doc_id)) is None:
                return
            for text in texts:
                values = vars(text) | {"doc_id": doc_id, "created_at": now()}
                key = (WrittenRow.doc_id, WrittenRow.kind, WrittenRow.key)
                session.execute(insert(WrittenRow).values(values).on_conflict_do_update(index_elements=key, set_=values))

    def forget(self, doc_id: str, *, but: Collection[tuple[str, str]] = ()) -> None:
        """Remove what was written for a document, except for these kinds and keys. Raises NotWritable."""
        gone = [place for place in self.of(doc_id) if place not in set(but)]
        with naming_failures(self._library.folder), Session(self._library.engine) as session, session.begin():
            for kind, key in gone:
                one = (WrittenRow.doc_id == doc_id, WrittenRow.kind == kind, WrittenRow.key == key)
                session.execute(delete(WrittenRow).where(*one))

    def tell(self, doc_id: str, counts: Mapping[str, int]) -> None:
        """Write into a document's report how many rows of each kind are indexed for it. Raises NotWritable."""
        with naming_failures(self._library.folder), Session(self._library.engine) as session, session.begin():
            row = session.get(DocumentRow, doc_id)
            if row is not None:
                row.report = dict(row.report) | {"written": dict(counts)}
