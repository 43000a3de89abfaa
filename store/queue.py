"""The queue of files to index, kept in SQLite so that what was accepted is done, whatever happens to the process."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Engine, delete, select, update
from sqlalchemy.orm import Session

from store.database import create_tables, now
from store.rows import BaseRow, JobRow

WAITING, RUNNING = "queued", "running"
UNFINISHED = (WAITING, RUNNING)


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
    """The persisted queue. Any process may add to it; the one that holds the lock (ingest/jobs.py) works it off."""

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
        """Take the file that has waited longest and mark it as running, in one step: no two callers get the same."""
        first = select(JobRow.number).where(JobRow.status == WAITING).order_by(JobRow.number).limit(1).scalar_subquery()
        taken = update(JobRow).where(JobRow.number == first, JobRow.status == WAITING).values(status=RUNNING, updated_at=now())
        with Session(self._engine) as session, session.begin():
            row = session.scalar(taken.returning(JobRow))
            return None if row is None else _job(row)

    def finish(self, job_id: str, *, status: str, reason: str = "", report: dict[str, Any] | None = None) -> None:
        """Write down how it ended."""
        with Session(self._engine) as session, session.begin():
            values = {"status": status, "reason": reason, "report": report, "updated_at": now()}
            session.execute(update(JobRow).where(JobRow.id == job_id).values(values))

    def put_back(self, job_id: str | None = None) -> None:
        """Let a file that was taken wait again; without an id, all: to be called when nobody works on them any more."""
        chosen = JobRow.status == RUNNING if job_id is None else (JobRow.id == job_id) & (JobRow.status == RUNNING)
        self._wait_again(chosen)

    def retry(self, job_id: str) -> None:
        """Let a finished file wait once more; one that is not finished stays as it is."""
        self._wait_again((JobRow.id == job_id) & JobRow.status.not_in(UNFINISHED))

    def forget(self, job_id: str) -> str | None:
        """Take a finished file off the list; returns its version, or None when it is not finished or not there."""
        with Session(self._engine) as session, session.begin():
            gone = delete(JobRow).where(JobRow.id == job_id, JobRow.status.not_in(UNFINISHED))
            version: str | None = session.scalar(gone.returning(JobRow.version))
            return version

    def jobs(self, base_id: str) -> list[Job]:
        """The files of a base, in order."""
        with Session(self._engine) as session:
            return [_job(row) for row in session.scalars(select(JobRow).where(JobRow.base_id == base_id).order_by(JobRow.number))]

    def _wait_again(self, chosen: ColumnElement[bool]) -> None:
        with Session(self._engine) as session, session.begin():
            values = {"status": WAITING, "reason": "", "report": None, "updated_at": now()}
            session.execute(update(JobRow).where(chosen).values(values))


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
