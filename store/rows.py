"""The tables of the library: bases, documents and their further names, unfinished changes, and the queue of files.

They stand together because they refer to each other: the bytes of a file are kept as long as a row of any of them needs them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.database import CleanJson, CleanText, Row, UtcTime


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
    text: Mapped[str] = mapped_column(CleanText, deferred=True)
    pages: Mapped[Any] = mapped_column(CleanJson, deferred=True)
    chunks: Mapped[int] = mapped_column()
    report: Mapped[Any] = mapped_column(CleanJson)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)
    __table_args__ = (UniqueConstraint("base_id", "source"),)


class AliasRow(Row):
    """The table of further names under which the same bytes were added."""

    __tablename__ = "aliases"
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(CleanText, primary_key=True)
    doc_id: Mapped[str] = mapped_column(ForeignKey(DocumentRow.doc_id, ondelete="CASCADE"), index=True)


class TagRow(Row):
    """The table of documents' tags; a table of its own, since stores that were made before there were tags have no column."""

    __tablename__ = "document_tags"
    doc_id: Mapped[str] = mapped_column(ForeignKey(DocumentRow.doc_id, ondelete="CASCADE"), primary_key=True)
    tag: Mapped[str] = mapped_column(CleanText, primary_key=True)


class WrittenRow(Row):
    """The table of what a chat model wrote for documents: `key` is the sha256 of what it was shown, `asked` of who and for what.

    It goes with its document, and what was written once is not paid for again.
    """

    __tablename__ = "written"
    doc_id: Mapped[str] = mapped_column(ForeignKey(DocumentRow.doc_id, ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True, index=True)
    asked: Mapped[str] = mapped_column()
    value: Mapped[Any] = mapped_column(CleanJson)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class EditRow(Row):
    """The table of what was switched off and corrected in documents (store/edits.py), in the order of their places.

    They are written anew with each change, with numbers that were never there before.
    """

    __tablename__ = "edits"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    doc_id: Mapped[str] = mapped_column(ForeignKey(DocumentRow.doc_id, ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column()
    start: Mapped[int] = mapped_column()
    end: Mapped[int] = mapped_column()
    text: Mapped[str] = mapped_column(CleanText)
    anchor_start: Mapped[int] = mapped_column()
    anchor_end: Mapped[int] = mapped_column()
    original: Mapped[str] = mapped_column(CleanText)
    lost: Mapped[bool] = mapped_column()
    __table_args__ = ({"sqlite_autoincrement": True},)


class ChangeRow(Row):
    """The table of changes under way, one a document: `version` is the sha256 of the bytes to come, NULL for a deletion.

    A change is written here before the commit of the chunks and struck off after it, so what a killed process leaves is known.
    """

    __tablename__ = "changes"
    doc_id: Mapped[str] = mapped_column(primary_key=True)
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(CleanText)
    version: Mapped[str | None] = mapped_column()
    settings: Mapped[Any] = mapped_column(CleanJson)


class RebuiltRow(Row):
    """The table of documents as a re-index made them; they take the place of the old ones when all of a base are there."""

    __tablename__ = "rebuilt"
    doc_id: Mapped[str] = mapped_column(ForeignKey(DocumentRow.doc_id, ondelete="CASCADE"), primary_key=True)
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column()
    text: Mapped[str] = mapped_column(CleanText)
    pages: Mapped[Any] = mapped_column(CleanJson)
    chunks: Mapped[int] = mapped_column()
    report: Mapped[Any] = mapped_column(CleanJson)


class JobRow(Row):
    """The table of files handed over, in the order they were accepted."""

    __tablename__ = "jobs"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True)
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(CleanText)
    version: Mapped[str] = mapped_column(index=True)
    status: Mapped[str] = mapped_column(index=True)
    reason: Mapped[str] = mapped_column(CleanText)
    report: Mapped[Any] = mapped_column(CleanJson, nullable=True)
    settings: Mapped[Any] = mapped_column(CleanJson)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)


class JobProgressRow(Row):
    """The table of how far files under way are, for the pages of other processes; a table of its own as older stores lack it."""

    __tablename__ = "job_progress"
    job_id: Mapped[str] = mapped_column(primary_key=True)
    stage: Mapped[str] = mapped_column()
    done: Mapped[int] = mapped_column()
    total: Mapped[int] = mapped_column()
    rate: Mapped[float | None] = mapped_column()
    seconds_left: Mapped[float | None] = mapped_column()


class PauseRow(Row):
    """The table of bases whose files wait until somebody lets them go on."""

    __tablename__ = "paused"
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), primary_key=True)


TABLES = (BaseRow, DocumentRow, AliasRow, TagRow, WrittenRow, EditRow, ChangeRow, RebuiltRow, JobRow, JobProgressRow, PauseRow)
