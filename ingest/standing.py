"""How the files stand that were handed over: how many there are of each kind, and the first of each, as pages show them.

A folder may hold ten thousand files, and pages look each second: the rest is counted and not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from store.database import now
from store.queue import UNFINISHED, Job, JobProgress, Kind


@dataclass(frozen=True)
class FileProgress:
    """Where a file is: its status, the stage with `done` of `total`, and at the end the reason and the report.

    `rate` (segments a second) and `seconds_left` (of the stage) are None until they can be told.
    """

    id: str
    base: str
    name: str
    status: str
    stage: str = ""
    done: int = 0
    total: int = 0
    rate: float | None = None
    seconds_left: float | None = None
    reason: str = ""
    report: dict[str, Any] | None = None
    started_at: datetime = field(default_factory=now)
    finished_at: datetime | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen to it by itself."""
        return self.status not in UNFINISHED


@dataclass(frozen=True)
class Standing:
    """The files of a base that were handed over and not dismissed: how many of each kind, and the first `files` of each.

    Of those that are `fine` they are the last ones. All are in the order in which they were handed over.
    """

    counts: Mapping[Kind, int] = field(default_factory=dict)
    files: Mapping[Kind, tuple[FileProgress, ...]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        """Those to which nothing more will happen by itself."""
        return self.count("fine") + self.count("amiss")

    @property
    def busy(self) -> bool:
        """Whether files wait or are being indexed."""
        return self.done < self.total

    @property
    def shown(self) -> list[FileProgress]:
        """The files of every kind that were read, in order."""
        return sorted((file for files in self.files.values() for file in files), key=lambda file: file.started_at)

    def count(self, kind: Kind) -> int:
        """How many there are of a kind."""
        return self.counts.get(kind, 0)

    def of(self, kind: Kind) -> tuple[FileProgress, ...]:
        """The first of a kind, or the last ones that are fine."""
        return self.files.get(kind, ())


def file_progress(job: Job, base_name: str, told: JobProgress | None = None) -> FileProgress:
    """A job as pages show it, with what was `told` of it while it is under way."""
    ended = job.updated_at if job.status not in UNFINISHED else None
    under_way = vars(told) if told and ended is None else {}
    return FileProgress(
        job.id,
        base_name,
        job.source,
        job.status,
        **under_way,
        reason=job.reason,
        report=job.report,
        started_at=job.created_at,
        finished_at=ended,
    )
