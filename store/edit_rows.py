"""The rows of a document's edits (store/edits.py), within a transaction of the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Select, delete, distinct, func, insert, select
from sqlalchemy.orm import Session

from store.edits import DOCUMENT, OFF, Edit
from store.rows import EditRow

_FIELDS = tuple(Edit.__dataclass_fields__)


class EditCounts(NamedTuple):
    """How many chunks are switched off, chunks were corrected, and edits of both kinds were lost, since their text is gone."""

    off: int = 0
    corrected: int = 0
    lost: int = 0
    document_off: bool = False
    latest: int = 0
    """A number that changes with each edit."""


NO_EDITS = EditCounts()


def read(session: Session, doc_id: str) -> list[Edit]:
    """The edits of a document."""
    rows = session.scalars(select(EditRow).where(EditRow.doc_id == doc_id).order_by(EditRow.number))
    return [Edit(**{name: getattr(row, name) for name in _FIELDS}) for row in rows]


def spans(session: Session, doc_id: str) -> list[tuple[int, int]]:
    """The places of the chunks that edits of a document were made in, but for those that are lost."""
    live = (EditRow.doc_id == doc_id) & (EditRow.kind != DOCUMENT) & EditRow.lost.is_(False)
    return [
        (start, end) for start, end in session.execute(select(EditRow.anchor_start, EditRow.anchor_end).where(live).distinct())
    ]


def write(session: Session, doc_id: str, edits: Iterable[Edit]) -> None:
    """Make these the edits of a document."""
    session.execute(delete(EditRow).where(EditRow.doc_id == doc_id))
    rows = sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.kind))
    if rows:
        session.execute(insert(EditRow), [{"doc_id": doc_id, **vars(edit)} for edit in rows])


def counts(session: Session, chosen: Select[Any]) -> dict[str, EditCounts]:
    """The counts of those documents that have edits, by id."""
    anchors = func.count(distinct(func.printf("%d-%d", EditRow.anchor_start, EditRow.anchor_end)))
    latest = func.max(EditRow.number)
    grouped = select(EditRow.doc_id, EditRow.kind, EditRow.lost, anchors, latest).where(EditRow.doc_id.in_(chosen))
    found: dict[str, EditCounts] = {}
    for doc_id, kind, lost, count, newest in session.execute(grouped.group_by(EditRow.doc_id, EditRow.kind, EditRow.lost)):
        known = found.get(doc_id, NO_EDITS)
        known = known._replace(latest=max(known.latest, newest))
        if kind == DOCUMENT:
            found[doc_id] = known._replace(document_off=True)
        elif lost:
            found[doc_id] = known._replace(lost=known.lost + count)
        else:
            found[doc_id] = known._replace(off=count) if kind == OFF else known._replace(corrected=count)
    return found
