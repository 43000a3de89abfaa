"""The queue of files to index, kept in SQLite so that what was accepted is done, whatever happens to the process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal
from uuid import uuid4

from sqlalchemy import ColumnElement, Engine, case, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from store.database import create_tables, now
from store.rows import BaseRow, JobProgressRow, JobRow, PauseRow

WAITING, RUNNING, CANCELLING = "queued", "running", "cancelling"
CANCELLED: Final = "cancelled"
UNFINISHED = (WAITING, RUNNING, CANCELLING)
FINE = ("indexed", "unchanged", "replaced", "duplicate")
"""How a file ends whose owner need not look at it, unless its report warns."""
Kind = Literal["under_way", "waiting", "amiss", "fine"]
_WARNINGS = func.coalesce(func.json_array_length(JobRow.report, "$.warnings"), 0)
_KIND: ColumnElement[Kind] = case(
    (JobRow.status == WAITING, "waiting"),
    (JobRow.status.in_(UNFINISHED), "under_way"),
    (JobRow.status.in_(FINE) & (_WARNINGS == 0), "fine"),
    else_="amiss",
)
_IDS_AT_ONCE = 1000
"""SQLite allows some thousand values in one statement."""


@dataclass(frozen=True)
class JobProgress:
    """How far a file under way is: `done` of `total` in its stage, `rate` of them a second, `seconds_left` of the stage."""

    stage: str
    done: int
    total: int
    rate: float | None = None
    seconds_left: float | None = None


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
        create_tables(engine, BaseRow, JobRow, JobProgressRow, PauseRow)

    def add(self, base_id: str, source: str, *, version: str, settings: dict[str, Any]) -> Job:
        """Accept a file, behind those that wait."""
        return self.put(Job(uuid4().hex, base_id, source, version, WAITING, settings=settings))

    def put(self, job: Job) -> Job:
        """Accept a file under an id that is known already, behind those that wait."""
        with Session(self._engine) as session, session.begin():
            session.add(JobRow(**vars(job)))
        return job

    def next(self) -> Job | None:
        """Take the file that has waited longest, of a base that is not paused, and mark it as running, in one step.

        No two callers get the same.
        """
        waiting = (JobRow.status == WAITING) & JobRow.base_id.not_in(select(PauseRow.base_id))
        first = select(JobRow.number).where(waiting).order_by(JobRow.number).limit(1).scalar_subquery()
        taken = update(JobRow).where(JobRow.number == first, JobRow.status == WAITING).values(status=RUNNING, updated_at=now())
        with Session(self._engine) as session, session.begin():
            row = session.scalar(taken.returning(JobRow))
            return None if row is None else _job(row)

    def finish(self, job_id: str, *, status: str, reason: str = "", report: dict[str, Any] | None = None) -> None:
        """Write down how it ended."""
        with Session(self._engine) as session, session.begin():
            values = {"status": status, "reason": reason, "report": report, "updated_at": now()}
            session.execute(update(JobRow).where(JobRow.id == job_id).values(values))
            session.execute(delete(JobProgressRow).where(JobProgressRow.job_id == job_id))

    def cancel(self, job_id: str) -> None:
        """A file that waits is cancelled at once, one under way when its worker comes to see it; a finished one stays."""
        self._cancel(JobRow.id == job_id)

    def cancel_all(self, base_id: str) -> None:
        """`cancel` the files of a base."""
        self._cancel(JobRow.base_id == base_id)

    def pause(self, base_id: str) -> None:
        """Begin no more files of a base, until `resume`."""
        with Session(self._engine) as session, session.begin():
            session.execute(insert(PauseRow).values(base_id=base_id).on_conflict_do_nothing())

    def resume(self, base_id: str) -> None:
        """Go on with the files of a base."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(PauseRow).where(PauseRow.base_id == base_id))

    def paused(self, base_id: str) -> bool:
        """Whether the base's files wait until somebody lets them go on."""
        with Session(self._engine) as session:
            return session.get(PauseRow, base_id) is not None

    def wanted(self, job: Job) -> str:
        """What a worker should do with the file that it has: go on (`running`), wait (`queued`) or cancel it (`cancelling`)."""
        with Session(self._engine) as session:
            status = session.scalar(select(JobRow.status).where(JobRow.id == job.id))
            if status != RUNNING:
                return CANCELLING
            return RUNNING if session.get(PauseRow, job.base_id) is None else WAITING

    def tell(self, job_id: str, progress: JobProgress) -> None:
        """Write down how far a file is."""
        values = {"job_id": job_id, **vars(progress)}
        with Session(self._engine) as session, session.begin():
            session.execute(insert(JobProgressRow).values(values).on_conflict_do_update(index_elements=["job_id"], set_=values))

    def told(self) -> dict[str, JobProgress]:
        """How far the files under way are, by the job's id."""
        with Session(self._engine) as session:
            rows = session.scalars(select(JobProgressRow)).all()
            return {r.job_id: JobProgress(r.stage, r.done, r.total, r.rate, r.seconds_left) for r in rows}

    def put_back(self, job_id: str | None = None) -> None:
        """Let a file that was taken wait again; without an id, all: to be called when nobody works on them any more."""
        chosen = JobRow.status == RUNNING if job_id is None else (JobRow.id == job_id) & (JobRow.status == RUNNING)
        self._wait_again(chosen)
        if job_id is None:
            with Session(self._engine) as session, session.begin():
                values = {"status": CANCELLED, "updated_at": now()}
                session.execute(update(JobRow).where(JobRow.status == CANCELLING).values(values))
                session.execute(delete(JobProgressRow))

    def retry(self, job_id: str) -> None:
        """Let a finished file wait once more; one that is not finished stays as it is."""
        self._wait_again((JobRow.id == job_id) & JobRow.status.not_in(UNFINISHED))

    def forget(self, job_id: str) -> str | None:
        """Take a finished file off the list; returns its version, or None when it is not finished or not there."""
        with Session(self._engine) as session, session.begin():
            gone = delete(JobRow).where(JobRow.id == job_id, JobRow.status.not_in(UNFINISHED))
            version: str | None = session.scalar(gone.returning(JobRow.version))
            return version

    def forget_finished(self, base_id: str) -> list[str]:
        """Take all finished files of a base off the list, in one step; returns their versions."""
        with Session(self._engine) as session, session.begin():
            gone = delete(JobRow).where(JobRow.base_id == base_id, JobRow.status.not_in(UNFINISHED))
            return list(session.scalars(gone.returning(JobRow.version)))

    def counts(self, base_id: str) -> dict[Kind, int]:
        """How many files of a base there are of each kind; of a kind without any, nothing."""
        with Session(self._engine) as session:
            rows = session.execute(select(_KIND, func.count()).where(JobRow.base_id == base_id).group_by(_KIND))
            return dict(rows.all())

    def first(self, base_id: str, kind: Kind, most: int) -> list[Job]:
        """The first files of a kind, of those that are fine the last ones; in the order in which they were accepted."""
        order = JobRow.number.desc() if kind == "fine" else JobRow.number
        chosen = select(JobRow).where(JobRow.base_id == base_id, _KIND.in_((kind,))).order_by(order).limit(most)
        with Session(self._engine) as session:
            return [_job(row) for row in sorted(session.scalars(chosen), key=lambda row: row.number)]

    def left(self, base_id: str) -> int:
        """How many files of a base wait or are under way; no report is looked at for that."""
        with Session(self._engine) as session:
            these = JobRow.base_id == base_id, JobRow.status.in_(UNFINISHED)
            return session.scalar(select(func.count()).select_from(JobRow).where(*these)) or 0

    def unfinished(self, job_ids: Collection[str]) -> set[str]:
        """Those of these files that wait or are under way."""
        ids, found = list(job_ids), set[str]()
        with Session(self._engine) as session:
            for start in range(0, len(ids), _IDS_AT_ONCE):
                these = JobRow.id.in_(ids[start : start + _IDS_AT_ONCE])
                found.update(session.scalars(select(JobRow.id).where(these, JobRow.status.in_(UNFINISHED))))
        return found

    def _cancel(self, chosen: ColumnElement[bool]) -> None:
        with Session(self._engine) as session, session.begin():
            for before, after in ((WAITING, CANCELLED), (RUNNING, CANCELLING)):
                these = update(JobRow).where(chosen, JobRow.status == before)
                session.execute(these.values(status=after, updated_at=now()))

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
