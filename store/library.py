"""The documents of knowledge bases: which are where, under which names, in which version, with which text.

The rows here and the chunks in LanceDB are kept in step by store/changes.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session, sessionmaker

from store import edit_rows
from store.bases import Base, Bases
from store.database import clean_text
from store.edit_rows import NO_EDITS, EditCounts
from store.edits import Edit
from store.errors import InvalidName, UnknownDocument, naming_failures
from store.rows import AliasRow, ChangeRow, DocumentRow, EditRow, TagRow, WrittenRow

__all__ = ["Base", "Library", "Status", "StoredDocument", "checked_tags", "document_id"]

Status = Literal["pending", "ready", "empty", "deleting"]
GONE = "The document is not there any more; it may have been deleted in another tab."
LONGEST_TAG, MOST_TAGS = 60, 50
_COLUMNS = frozenset(column.key for column in DocumentRow.__table__.columns)


@dataclass(frozen=True)
class StoredDocument:
    """A document of a base, without its text; `chunks` are what is stored of it, `aliases` its further names,
    `tags` what a person filed it under, in order of the alphabet. One that is not `enabled` is switched off; `edited` counts what
    was changed in it.

    `pending` is a document whose new version, `deleting` one whose deletion was begun by a process that ended before it was done.
    """

    doc_id: str
    base_id: str
    source: str
    version: str
    status: Status
    chunks: int
    report: dict[str, Any]
    updated_at: datetime
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    enabled: bool = True
    edited: EditCounts = NO_EDITS


class Library(Bases):
    """The bases of a store folder, and the documents in them."""

    def documents(self, base: Base, *, statuses: Collection[Status] | None = None) -> list[StoredDocument]:
        """The documents of a base, by name; with `statuses`, those only."""
        found = self._documents(DocumentRow.base_id == base.id)
        return found if statuses is None else [document for document in found if document.status in statuses]

    def is_empty(self, base: Base) -> bool:
        """Whether nothing was ever put into the base, or all of it was deleted."""
        with Session(self.engine) as session:
            held = (select(row.doc_id).where(row.base_id == base.id).limit(1) for row in (DocumentRow, ChangeRow))
            return not any(session.scalar(one) for one in held)

    def find(self, base: Base, source: str) -> StoredDocument | None:
        """The document of that name or alias."""
        name = clean_text(source)
        alias = select(AliasRow.doc_id).where(AliasRow.base_id == base.id, AliasRow.source == name).scalar_subquery()
        here = (DocumentRow.base_id == base.id) & (DocumentRow.source == name)
        return next(iter(self._documents(or_(here, DocumentRow.doc_id == alias))), None)

    def with_version(self, base: Base, version: str) -> StoredDocument | None:
        """The indexed document with these bytes (sha256), under whatever name."""
        same = self._documents(DocumentRow.version == version)  # with the base as well, SQLite may walk through all of the base
        return next((document for document in same if document.base_id == base.id and document.status == "ready"), None)

    def document(self, doc_id: str) -> StoredDocument:
        """The document with that id. Raises UnknownDocument."""
        found = self.with_id(doc_id)
        if found is None:
            raise UnknownDocument(GONE)
        return found

    def with_id(self, doc_id: str) -> StoredDocument | None:
        """The document with that id, if it is there."""
        return next(iter(self._documents(DocumentRow.doc_id == doc_id)), None)

    def text(self, doc_id: str) -> str:
        """The document's whole extracted text. Raises UnknownDocument."""
        with Session(self.engine) as session:
            text = session.scalar(select(DocumentRow.text).where(DocumentRow.doc_id == doc_id))
        if text is None:
            raise UnknownDocument(GONE)
        return text

    def pages(self, doc_id: str) -> list[tuple[int, int, int]]:
        """(page, start, end) of each page in the document's text; empty for files without pages. Raises UnknownDocument."""
        with Session(self.engine) as session:
            pages = session.scalar(select(DocumentRow.pages).where(DocumentRow.doc_id == doc_id))
        if pages is None:
            raise UnknownDocument(GONE)
        return [(page, start, end) for page, start, end in pages]

    def put(
        self,
        base: Base,
        document: StoredDocument,
        *,
        text: str = "",
        pages: Sequence[Sequence[int]] = (),
        edits: Sequence[Edit] | None = None,
        heir: tuple[StoredDocument, str] | None = None,
    ) -> None:
        """Write a document's row, over one with the same id; a change of it that was under way is done with that.

        Tags that the document had before stay, those of `document` are added; so do edits, unless others are given. `heir` is the
        older version with the further name under which that lives on.
        """
        values = {k: v for k, v in vars(document).items() if k in _COLUMNS} | {"base_id": base.id}
        values |= {"text": text, "pages": [list(page) for page in pages]}
        with Session(self.engine) as session, session.begin():
            if heir:
                self.hand_over(*heir, within=session)
            statement = insert(DocumentRow).values(values)
            anew = {name: statement.excluded[name] for name in values}
            session.execute(statement.on_conflict_do_update(index_elements=[DocumentRow.doc_id], set_=anew))
            session.execute(delete(AliasRow).where(AliasRow.base_id == base.id, AliasRow.source == document.source))
            session.execute(delete(ChangeRow).where(ChangeRow.doc_id == document.doc_id))
            for tag in document.tags:
                session.execute(insert(TagRow).values(doc_id=document.doc_id, tag=tag).on_conflict_do_nothing())
            if edits is not None:
                edit_rows.write(session, document.doc_id, edits)

    def edits(self, doc_id: str) -> list[Edit]:
        """What is switched off and corrected in a document."""
        with Session(self.engine) as session:
            return edit_rows.read(session, doc_id)

    def edited_spans(self, doc_id: str) -> list[tuple[int, int]]:
        """Where the chunks lie that were switched off or corrected, as places in the document's text."""
        with Session(self.engine) as session:
            return edit_rows.spans(session, doc_id)

    def set_tags(self, doc_id: str, tags: Iterable[str]) -> tuple[str, ...]:
        """Give a document these tags in place of those it has; [] removes all. Raises InvalidName, UnknownDocument."""
        chosen = checked_tags(tags)
        with naming_failures(self.folder), Session(self.engine) as session, session.begin():
            session.execute(delete(TagRow).where(TagRow.doc_id == doc_id))  # from here on nobody else can delete the document
            if session.scalar(select(DocumentRow.doc_id).where(DocumentRow.doc_id == doc_id)) is None:
                raise UnknownDocument(GONE)
            session.add_all(TagRow(doc_id=doc_id, tag=tag) for tag in chosen)
        return chosen

    def hand_over(self, document: StoredDocument, heir: str, *, within: Session | None = None) -> None:
        """Give a document's row, tags, edits and further names to the one of these that takes its place.

        `within` is a transaction that was begun.
        """
        base = self.by_id(document.base_id)
        new_id = document_id(base, heir)
        with nullcontext(within) if within else sessionmaker(self.engine).begin() as session:
            old = session.get_one(DocumentRow, document.doc_id)
            values = {column.key: getattr(old, column.key) for column in DocumentRow.__table__.columns}
            new = {"doc_id": new_id, "source": heir, "report": document.report | {"doc_id": new_id, "source": heir}}
            session.execute(insert(DocumentRow).values(values | new))
            session.execute(delete(AliasRow).where(AliasRow.base_id == base.id, AliasRow.source == heir))
            session.execute(update(AliasRow).where(AliasRow.doc_id == document.doc_id).values(doc_id=new_id))
            session.execute(update(TagRow).where(TagRow.doc_id == document.doc_id).values(doc_id=new_id))
            session.execute(update(EditRow).where(EditRow.doc_id == document.doc_id).values(doc_id=new_id))
            session.execute(update(WrittenRow).where(WrittenRow.doc_id == document.doc_id).values(doc_id=new_id))
            session.execute(delete(DocumentRow).where(DocumentRow.doc_id == document.doc_id))
            session.execute(delete(ChangeRow).where(ChangeRow.doc_id == document.doc_id, ChangeRow.version.is_(None)))

    def add_alias(self, base: Base, doc_id: str, source: str) -> None:
        """Remember a further name of a document."""
        with Session(self.engine) as session, session.begin():
            values = {"base_id": base.id, "source": source, "doc_id": doc_id}
            statement = insert(AliasRow).values(values)
            session.execute(statement.on_conflict_do_update(index_elements=["base_id", "source"], set_={"doc_id": doc_id}))

    def drop_alias(self, base: Base, source: str) -> None:
        """Forget a further name; the document stays."""
        with Session(self.engine) as session, session.begin():
            session.execute(delete(AliasRow).where(AliasRow.base_id == base.id, AliasRow.source == source))

    def delete_document(self, doc_id: str) -> None:
        """Remove a document's row, its text and its original bytes (unless something else needs those); not its chunks."""
        document = self.document(doc_id)
        with Session(self.engine) as session, session.begin():
            session.execute(delete(DocumentRow).where(DocumentRow.doc_id == doc_id))
            session.execute(delete(ChangeRow).where(ChangeRow.doc_id == doc_id))
        self.files.forget([document.version])

    def _documents(self, where: ColumnElement[bool]) -> list[StoredDocument]:
        """Read in one go: the rows, the changes under way, the aliases and the tags, without any text."""
        chosen = select(DocumentRow.doc_id).where(where)
        with Session(self.engine) as session:
            rows = session.execute(
                select(DocumentRow, ChangeRow)
                .outerjoin(ChangeRow, ChangeRow.doc_id == DocumentRow.doc_id)
                .where(where)
                .order_by(DocumentRow.source)
            ).all()
            if not rows:  # most often, when a file is added: two queries less
                return []
            aliases: dict[str, list[str]] = {}
            tags: dict[str, list[str]] = {}
            for alias in session.scalars(select(AliasRow).where(AliasRow.doc_id.in_(chosen)).order_by(AliasRow.source)):
                aliases.setdefault(alias.doc_id, []).append(alias.source)
            for tag in session.scalars(select(TagRow).where(TagRow.doc_id.in_(chosen))):
                tags.setdefault(tag.doc_id, []).append(tag.tag)
            counts = edit_rows.counts(session, chosen)
        return [
            _document(row, change, aliases.get(row.doc_id, []), tags.get(row.doc_id, []), edited=counts.get(row.doc_id, NO_EDITS))
            for row, change in rows
        ]


def document_id(base: Base, source: str) -> str:
    """The id of a document: its base's id and its path in the base, so it is the same under a renamed base."""
    return hashlib.sha256(f"{base.id}\0{clean_text(source)}".encode()).hexdigest()[:32]


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags without blanks around them, each once whatever its case (as it was written first), sorted. Raises InvalidName."""
    chosen: dict[str, str] = {}
    for tag in tags:
        clean = " ".join(clean_text(tag).split())
        if not clean or len(clean) > LONGEST_TAG or not clean.isprintable():
            raise InvalidName(f"A tag has 1 to {LONGEST_TAG} visible characters; {tag!r} has not.")
        chosen.setdefault(clean.casefold(), clean)
    if len(chosen) > MOST_TAGS:
        raise InvalidName(f"A document has at most {MOST_TAGS} tags.")
    return tuple(_sorted(chosen.values()))


def _sorted(tags: Iterable[str]) -> list[str]:
    return sorted(tags, key=lambda tag: (tag.casefold(), tag))


def _document(
    row: DocumentRow, change: ChangeRow | None, aliases: Sequence[str], tags: Sequence[str], *, edited: EditCounts
) -> StoredDocument:
    status = row.status if change is None else "pending" if change.version else "deleting"
    return StoredDocument(
        doc_id=row.doc_id,
        base_id=row.base_id,
        source=row.source,
        version=row.version,
        status=status,  # type: ignore[arg-type]
        chunks=row.chunks,
        report=dict(row.report),
        updated_at=row.updated_at,
        aliases=tuple(aliases),
        tags=tuple(_sorted(tags)),
        enabled=not edited.document_off,
        edited=edited,
    )
