"""The queue of files to index, kept in SQLite so that what was accepted is done, whatever happens to the process."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine, ForeignKey, delete, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.database import CleanJson, CleanText, Row, UtcTime, create_tables, now
from store.library import BaseRow

WAITING, RUNNING = "queued", "running"


class JobRow(Row):
    """The table of jobs, one a file, in the order they were accepted."""

    __tablename__ = "jobs"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(unique=True)
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(CleanText)
    version: Mapped[str] = mapped_column()
    status: Mapped[str] = mapped_column(index=True)
    reason: Mapped[str] = mapped_column(CleanText)
    report: Mapped[Any] = mapped_column(CleanJson, nullable=True)
    settings: Mapped[Any] = mapped_column(CleanJson)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)


@dataclass(frozen=True)
class Job:
    """A file that was handed over. `version` is the sha256 under which its bytes are kept; `settings` are those of ingest."""

    id: str
    base_id: str
    source: str
    version: str
    status: str
    reason: str = ""
    report: dict[str, Any] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)


class JobQueue:
    """The persisted queue. Any process may add to it; one works it off."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        create_tables(engine, BaseRow, JobRow)

    def add(self, base_id: str, source: str, *, version: str, settings: dict[str, Any]) -> Job:
        """Accept a file, behind those that wait."""
        job = Job(uuid4().hex, base_id, source, version, WAITING, settings=settings)
        with Session(self._engine) as session, session.begin():
            session.add(JobRow(**vars(job)))
        return job

    def next(self) -> Job | None:
        """Take the file that has waited longest; it is marked as running."""
        with Session(self._engine) as session, session.begin():
            row = session.scalar(select(JobRow).where(JobRow.status == WAITING).order_by(JobRow.number).limit(1))
            if row is None:
                return None
            row.status = RUNNING
            return _job(row)

    def finish(self, job_id: str, *, status: str, reason: str = "", report: dict[str, Any] | None = None) -> None:
        """Write down how it ended."""
        with Session(self._engine) as session, session.begin():
            values = {"status": status, "reason": reason, "report": report, "updated_at": now()}
            session.execute(update(JobRow).where(JobRow.id == job_id).values(values))

    def restart(self, job_id: str | None = None) -> None:
        """Let a file wait again; without an id, all that were running when the process ended."""
        chosen = JobRow.status == RUNNING if job_id is None else JobRow.id == job_id
        with Session(self._engine) as session, session.begin():
            session.execute(update(JobRow).where(chosen).values(status=WAITING, reason="", report=None))

    def forget(self, job_id: str) -> None:
        """Take a file off the list, whatever its status."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(JobRow).where(JobRow.id == job_id))

    def jobs(self, base_id: str) -> list[Job]:
        """The files of a base, in order."""
        with Session(self._engine) as session:
            return [_job(row) for row in session.scalars(select(JobRow).where(JobRow.base_id == base_id).order_by(JobRow.number))]

    def versions(self) -> set[str]:
        """The bytes that jobs still refer to."""
        with Session(self._engine) as session:
            return set(session.scalars(select(JobRow.version)))


def _job(row: JobRow) -> Job:
    return Job(
        row.id,
        row.base_id,
        row.source,
        row.version,
        row.status,
        reason=row.reason,
        report=row.report,
        settings=dict(row.settings),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
