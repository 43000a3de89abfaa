"""A folder and a base kept in step: what is new, changed, renamed or gone in the folder is so in the base a moment later.

Every change that is heard of only says that it is time to look: the whole folder is looked at and held against the base. So
nothing is missed where a system tells of a folder that moved but not of the files in it, or drops messages; files that are as
they were are not read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.pipeline import Pipeline
from ingest.report import FileReport, failed
from ingest.sources.file import Found
from ingest.sources.folder import Folder
from ingest.sources.intake import CHANGING, Intake
from ingest.sources.kept import Kept
from settings import Settings
from store.bases import Base
from store.errors import StoreError, UnknownBase
from store.library import Library

TICK_SECONDS = 0.5
"""How often the watch looks whether it should end, and whether a file has come to rest."""
LOOK_SECONDS = 60.0
"""How often it looks at the folder though nothing was heard."""
RETRY_SECONDS = (2.0, 10.0, 60.0, 300.0, 1800.0)
"""How long a file that failed waits for the next try, unless it changes; then always the last."""


@dataclass(frozen=True)
class _Failure:
    """A file that failed: in which state, how often, when it may be tried again (monotonic), and what was told of it."""

    mark: dict[str, Any]
    times: int
    due: float
    told: str


class Watch:
    """Keeps a base in step with a folder until it is told to stop. For one thread, except `stop`."""

    def __init__(
        self,
        folder: Folder,
        *,
        pipeline: Pipeline,
        library: Library,
        base: Base,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._pipeline, self._library, self._base, self._settings = folder, pipeline, library, base, settings
        self._clock, self._settle = clock, settings.sources.settle_seconds
        self._stop = threading.Event()
        self._resting: dict[str, tuple[dict[str, Any], float]] = {}
        self._missing: dict[str, float] = {}
        self._failures: dict[str, _Failure] = {}
        self._next = float("-inf")

    def stop(self) -> None:
        """End before the next step of the file at hand; from any thread, or from a signal."""
        self._stop.set()

    def run(self) -> Iterator[FileReport | None]:
        """What becomes of each document, and None once, when folder and base are in step for the first time.

        Documents that are unchanged are not told of. Raises FileNotFoundError when the folder is gone, UnknownBase when the base
        is, and OSError where the system cannot watch the folder.
        """
        first = True
        for heard in self._heard():  # the first comes when the watch is set up, so that no change before it is missed
            if not (first or heard or self._clock() >= self._next):
                continue
            try:
                yield from self.step(settled=first)
            except UnknownBase:
                raise
            except StoreError as error:  # such as a full disk, which may have room later
                self._next = self._clock() + RETRY_SECONDS[1]
                yield failed(self._folder.place, error)
            if first and not self._stop.is_set():
                yield None
            first = False

    def step(self, *, settled: bool = False) -> Iterator[FileReport]:
        """One look: take in what is new and has come to rest (`settled`: as if all had), take out what is gone."""
        if not self._folder.path.is_dir():  # or everything would be taken out where a drive is not there for a moment
            raise FileNotFoundError(2, "The watched folder is gone", str(self._folder.path))
        self._library.by_id(self._base.id)  # raises when it was deleted
        self._next = self._clock() + LOOK_SECONDS
        found = self._chosen(self._folder.look(), settled=settled)
        kept = Kept(self._library, self._base)
        intake = Intake(self._pipeline, self._base, kept, self._settings, wanted=lambda: not self._stop.is_set())
        marks = {one.name: one.mark for one in found}
        max_bytes = self._settings.ingest.max_file_mb * 2**20
        reports = []
        for name, event in intake.take(self._folder.items(kept, max_bytes=max_bytes, chosen=found)):
            if isinstance(event, FileReport) and self._is_news(event, marks[name]):
                reports.append(event)
                if event.status != "duplicate":  # which may turn out to be the new name of what is gone
                    yield event
        gone = intake.remove(self._gone(self._folder.gone(kept), settled=settled))
        last = _renamed([report for report in reports if report.status == "duplicate"], list(gone))
        yield from last
        if any(report.status in CHANGING for report in [*reports, *last]):
            self._pipeline.finish(self._base)

    def _heard(self) -> Iterator[bool]:
        """Whether something changed, at every tick."""
        from watchfiles import watch

        changes = watch(
            self._folder.path,
            watch_filter=lambda _, path: self._folder.concerns(path),
            debounce=round(5000 * self._settle),
            step=round(1000 * min(self._settle, TICK_SECONDS)),
            rust_timeout=round(1000 * TICK_SECONDS),
            yield_on_timeout=True,
            stop_event=self._stop,
            force_polling=self._settings.sources.poll,
            ignore_permission_denied=True,
        )
        return map(bool, changes)

    def _chosen(self, found: Sequence[Found], *, settled: bool) -> list[Found]:
        """The files that have come to rest, and, of those that failed, the ones that changed since or whose time has come."""
        now, names = self._clock(), {one.name for one in found}
        self._resting = {name: rest for name, rest in self._resting.items() if name in names}
        self._failures = {name: failure for name, failure in self._failures.items() if name in names}
        return [one for one in found if self._rests(one, now, settled) and self._may_be_tried(one, now)]

    def _rests(self, found: Found, now: float, settled: bool) -> bool:
        mark, since = self._resting.get(found.name, (None, now))
        if mark != found.mark:
            since = now - self._settle if settled else now
            self._resting[found.name] = found.mark, since
        return self._is_time(since + self._settle, now)

    def _may_be_tried(self, found: Found, now: float) -> bool:
        failure = self._failures.get(found.name)
        return failure is None or failure.mark != found.mark or self._is_time(failure.due, now)

    def _gone(self, names: Sequence[str], *, settled: bool) -> list[str]:
        """Those that have been gone as long as a file must rest: a file that was renamed is there under its new name by then."""
        now = self._clock()
        self._missing = {name: now - self._settle if settled else self._missing.get(name, now) for name in names}
        return [name for name in names if self._is_time(self._missing[name] + self._settle, now)]

    def _is_time(self, due: float, now: float) -> bool:
        """Whether a moment has come; if not, there will be a look then."""
        if now < due:
            self._next = min(self._next, due)
        return now >= due

    def _is_news(self, report: FileReport, mark: dict[str, Any]) -> bool:
        """Whether to tell of it: not of what is unchanged or still being written, nor again of what failed as before."""
        if report.status != "failed":
            self._failures.pop(report.source, None)
            return report.status != "unchanged"
        before = self._failures.get(report.source)
        times = before.times + 1 if before and before.mark == mark else 0
        due = self._clock() + RETRY_SECONDS[min(times, len(RETRY_SECONDS) - 1)]
        self._next = min(self._next, due)
        self._failures[report.source] = _Failure(mark, times, due, report.reason)
        return report.code != "being_written" and (before is None or before.told != report.reason)


def _renamed(copies: Sequence[FileReport], gone: Sequence[FileReport]) -> list[FileReport]:
    """What was taken out, and copies; a copy of what was taken out is that document under another name."""
    by_name = {report.source: report for report in gone}
    told = []
    for copy in copies:
        old = by_name.pop(copy.params.get("other", ""), None)
        reason = f"was {old.source}" if old else ""
        told.append(replace(copy, status="renamed", reason=reason, code=None) if old else copy)
    return [*told, *by_name.values()]
