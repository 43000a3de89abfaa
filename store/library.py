"""Knowledge bases and their documents: what is in which base, in which version, and what built it (the passport).

A document's row is `pending` from before until after the one commit of its chunks; what is pending at start is done again.
`deleting` likewise: a deletion that was cut off is finished at start.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Engine, ForeignKey, Integer, UniqueConstraint, delete, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.database import CleanJson, CleanText, Row, UtcTime, clean_text, create_tables, now
from store.errors import InvalidName, UnknownBase, UnknownDocument

Status = Literal["pending", "ready", "empty", "deleting"]
LONGEST_NAME = 80


class BaseRow(Row):
    """The table of knowledge bases."""

    __tablename__ = "bases"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(CleanText, unique=True)
    passport: Mapped[Any] = mapped_column(CleanJson)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class DocumentRow(Row):
    """The table of documents; `pages` is the page -> offset map, a list of [page, start, end]."""

    __tablename__ = "documents"
    doc_id: Mapped[str] = mapped_column(primary_key=True)
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(CleanText)
    version: Mapped[str] = mapped_column(index=True)
    status: Mapped[str] = mapped_column()
    text: Mapped[str] = mapped_column(CleanText)
    pages: Mapped[Any] = mapped_column(CleanJson)
    chunks: Mapped[int] = mapped_column(Integer)
    report: Mapped[Any] = mapped_column(CleanJson)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)
    __table_args__ = (UniqueConstraint("base_id", "source"),)


class AliasRow(Row):
    """The table of further names under which the same bytes were added."""

    __tablename__ = "aliases"
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(CleanText, primary_key=True)
    doc_id: Mapped[str] = mapped_column(ForeignKey(DocumentRow.doc_id, ondelete="CASCADE"), index=True)


@dataclass(frozen=True)
class Base:
    """A knowledge base. `passport` names what built it: embedder, chunker, schema version; {} before the first document."""

    id: str
    name: str
    passport: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True)
class StoredDocument:
    """A document of a base, without its text; `chars` and `chunks` are what is stored of it, `aliases` its further names."""

    doc_id: str
    base_id: str
    source: str
    version: str
    status: Status
    chunks: int
    report: dict[str, Any]
    updated_at: datetime
    aliases: tuple[str, ...] = ()


class Library:
    """The bases and documents of a store folder."""

    def __init__(self, engine: Engine, *, folder: Path) -> None:
        self._engine, self._folder = engine, folder
        create_tables(engine, BaseRow, DocumentRow, AliasRow)

    # --- bases -----------------------------------------------------------------------------------------------------------------

    def bases(self) -> list[Base]:
        """All bases, by name."""
        with Session(self._engine) as session:
            return [_base(row) for row in session.scalars(select(BaseRow).order_by(BaseRow.name))]

    def base(self, name: str) -> Base:
        """The base of that name. Raises UnknownBase."""
        with Session(self._engine) as session:
            row = session.scalar(select(BaseRow).where(BaseRow.name == name))
        if row is None:
            known = ", ".join(base.name for base in self.bases()) or "none yet"
            raise UnknownBase(f"There is no knowledge base {name!r}. Bases: {known}.")
        return _base(row)

    def ensure_base(self, name: str) -> Base:
        """The base of that name, made when it is missing. Raises InvalidName."""
        clean = _checked_name(name)
        with Session(self._engine) as session, session.begin():
            new = {"id": uuid4().hex, "name": clean, "passport": {}, "created_at": now()}
            session.execute(insert(BaseRow).values(new).on_conflict_do_nothing(index_elements=[BaseRow.name]))
        return self.base(clean)

    def rename_base(self, name: str, new_name: str) -> Base:
        """Give a base another name; nothing else changes. Raises UnknownBase, InvalidName."""
        base, clean = self.base(name), _checked_name(new_name)
        if clean != base.name and any(other.name == clean for other in self.bases()):
            raise InvalidName(f"There is a knowledge base {clean!r} already. Choose another name.")
        with Session(self._engine) as session, session.begin():
            session.execute(update(BaseRow).where(BaseRow.id == base.id).values(name=clean))
        return self.base(clean)

    def delete_base(self, name: str) -> None:
        """Remove a base with its documents, chunks and files. Raises UnknownBase."""
        base = self.base(name)
        versions = [document.version for document in self.documents(base)]
        with Session(self._engine) as session, session.begin():
            session.execute(delete(BaseRow).where(BaseRow.id == base.id))
        shutil.rmtree(self.chunk_folder(base), ignore_errors=True)
        for version in versions:
            self.forget_file(version)

    def set_passport(self, base: Base, passport: Mapping[str, Any]) -> None:
        """Write down what built the base."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(BaseRow).where(BaseRow.id == base.id).values(passport=dict(passport)))

    def chunk_folder(self, base: Base) -> Path:
        """Where the base's chunks lie; the name is the id, since a base's name may be in any script."""
        return self._folder / "bases" / base.id

    # --- documents -------------------------------------------------------------------------------------------------------------

    def documents(self, base: Base, *, statuses: Sequence[Status] | None = None) -> list[StoredDocument]:
        """The documents of a base, by name; with `statuses`, those only."""
        with Session(self._engine) as session:
            wanted = select(DocumentRow).where(DocumentRow.base_id == base.id).order_by(DocumentRow.source)
            rows = session.scalars(wanted.where(DocumentRow.status.in_(statuses)) if statuses else wanted).all()
            aliases = session.scalars(select(AliasRow).where(AliasRow.base_id == base.id).order_by(AliasRow.source)).all()
            return [_document(row, [alias.source for alias in aliases if alias.doc_id == row.doc_id]) for row in rows]

    def find(self, base: Base, source: str) -> StoredDocument | None:
        """The document of that name or alias."""
        return next((d for d in self.documents(base) if clean_text(source) in (d.source, *d.aliases)), None)

    def with_version(self, base: Base, version: str) -> StoredDocument | None:
        """The indexed document with these bytes (sha256), under whatever name."""
        return next((d for d in self.documents(base, statuses=["ready"]) if d.version == version), None)

    def document(self, doc_id: str) -> StoredDocument:
        """The document with that id. Raises UnknownDocument."""
        with Session(self._engine) as session:
            row = session.get(DocumentRow, doc_id)
            if row is None:
                raise UnknownDocument("The document is not there any more; it may have been deleted in another tab.")
            return _document(row, session.scalars(select(AliasRow.source).where(AliasRow.doc_id == doc_id)).all())

    def text(self, doc_id: str) -> str:
        """The document's whole extracted text. Raises UnknownDocument."""
        with Session(self._engine) as session:
            text = session.scalar(select(DocumentRow.text).where(DocumentRow.doc_id == doc_id))
        if text is None:
            raise UnknownDocument("The document is not there any more; it may have been deleted in another tab.")
        return text

    def put(self, base: Base, document: StoredDocument, *, text: str = "", pages: Sequence[Sequence[int]] = ()) -> None:
        """Write a document's row, over one with the same id."""
        values = {
            "doc_id": document.doc_id,
            "base_id": base.id,
            "source": document.source,
            "version": document.version,
            "status": document.status,
            "chunks": document.chunks,
            "report": document.report,
            "updated_at": document.updated_at,
            "text": text,
            "pages": [list(page) for page in pages],
        }
        with Session(self._engine) as session, session.begin():
            statement = insert(DocumentRow).values(values)
            session.execute(statement.on_conflict_do_update(index_elements=[DocumentRow.doc_id], set_=values))
            session.execute(delete(AliasRow).where(AliasRow.base_id == base.id, AliasRow.source == document.source))

    def set_status(self, doc_id: str, status: Status) -> None:
        """Change only the status of a document."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(DocumentRow).where(DocumentRow.doc_id == doc_id).values(status=status))

    def add_alias(self, base: Base, doc_id: str, source: str) -> None:
        """Remember a further name of a document."""
        with Session(self._engine) as session, session.begin():
            values = {"base_id": base.id, "source": source, "doc_id": doc_id}
            statement = insert(AliasRow).values(values)
            session.execute(statement.on_conflict_do_update(index_elements=["base_id", "source"], set_={"doc_id": doc_id}))

    def drop_alias(self, base: Base, source: str) -> None:
        """Forget a further name; the document stays."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(AliasRow).where(AliasRow.base_id == base.id, AliasRow.source == source))

    def delete_document(self, doc_id: str) -> None:
        """Remove a document's row, text and original bytes (those unless another base holds them too)."""
        document = self.document(doc_id)
        with Session(self._engine) as session, session.begin():
            session.execute(delete(DocumentRow).where(DocumentRow.doc_id == doc_id))
        self.forget_file(document.version)

    # --- original bytes --------------------------------------------------------------------------------------------------------

    def keep_file(self, data: bytes) -> str:
        """Keep the bytes under their sha256, which is returned; a name from outside is never a path."""
        version = hashlib.sha256(data).hexdigest()
        path = self._folder / "files" / version
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(f".{uuid4().hex}.part")
            partial.write_bytes(data)
            partial.replace(path)
        return version

    def file(self, version: str) -> bytes:
        """The bytes kept under that sha256. Raises UnknownDocument."""
        path = self._folder / "files" / version
        if not path.is_file():
            raise UnknownDocument("The original file is not there any more. Add it again.")
        return path.read_bytes()

    def forget_file(self, version: str) -> None:
        """Remove the bytes unless a document still has them."""
        with Session(self._engine) as session:
            if session.scalar(select(DocumentRow.doc_id).where(DocumentRow.version == version).limit(1)) is None:
                (self._folder / "files" / version).unlink(missing_ok=True)


def document_id(base: Base, source: str) -> str:
    """The id of a document: its base's id and its path in the base, so it is the same under a renamed base."""
    return hashlib.sha256(f"{base.id}\0{clean_text(source)}".encode()).hexdigest()[:32]


def _checked_name(name: str) -> str:
    clean = " ".join(clean_text(name).split())
    if not clean or len(clean) > LONGEST_NAME or not clean.isprintable():
        raise InvalidName(f"A knowledge base needs a name of 1 to {LONGEST_NAME} visible characters.")
    return clean


def _base(row: BaseRow) -> Base:
    return Base(id=row.id, name=row.name, passport=dict(row.passport), created_at=row.created_at)


def _document(row: DocumentRow, aliases: Sequence[str]) -> StoredDocument:
    return StoredDocument(
        doc_id=row.doc_id,
        base_id=row.base_id,
        source=row.source,
        version=row.version,
        status=row.status,  # type: ignore[arg-type]
        chunks=row.chunks,
        report=dict(row.report),
        updated_at=row.updated_at,
        aliases=tuple(aliases),
    )
