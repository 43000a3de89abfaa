"""Reading sources behind the page: folders, web pages and sitemaps into the queue, in threads, with progress for whoever asks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import uuid4

from pydantic import SecretStr

from ingest.errors import LoadError
from ingest.jobs import Jobs, Upload
from ingest.pipeline import Pipeline
from ingest.report import FileReport, failed
from ingest.sources.address import Resolve, system_resolve
from ingest.sources.asked import Asked
from ingest.sources.intake import Intake, told
from ingest.sources.item import Item, LeftOut
from ingest.sources.kept import Kept
from ingest.sources.places import Given
from ingest.sources.web import Web
from settings import Settings
from store.errors import StoreError
from store.library import Library

Stage = Literal["waiting", "looking", "reading", "indexing", "removing", "finished"]
LOOK_SECONDS = 0.2
"""How often it looks whether the files that it handed over are indexed."""
MOST_TOLD = 200
"""So many documents that could not be had, and so many that were left out, are told of by name; all are counted."""


@dataclass(frozen=True)
class Gathered:
    """How far a source of a base is: `done` of `total` documents were looked at, the one at hand is `name`.

    Of those, `counts` says how many were `queued` to be indexed, are `unchanged`, were left out by a rule (`skipped`), could not
    be had (`failed`), and how many were `deleted` as they are gone from the source. `told` are the reports of those that failed
    or were skipped, the first of them; `left_out` is what a folder holds that no document is made of, and `unwanted` how many the
    patterns did not want. `stopping` says that it was cancelled; `problem` ended it early. What was queued by then stays so.
    """

    id: str
    base_id: str
    names: tuple[str, ...]
    stage: Stage = "waiting"
    done: int = 0
    total: int = 0
    name: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    told: tuple[FileReport, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unwanted: int = 0
    stopping: bool = False
    problem: FileReport | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen."""
        return self.stage == "finished"


@dataclass
class _Run:
    """A source that was asked for, with how far it is; `stop` is set when it is to end."""

    asked: Asked
    settings: Settings
    password: SecretStr | None
    state: Gathered
    stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, **changes: object) -> None:
        """Change what is told of it."""
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]

    def wanted(self) -> bool:
        """Whether it is to go on."""
        return not self.stop.is_set()


class Gathering:
    """Reads the sources that were asked for in this process: those of one base one after the other, bases side by side.

    What was read is in the queue, on disk, before the next document is looked at. After a restart a source is asked for anew, and
    what is unchanged is not read again.
    """

    def __init__(self, library: Library, pipeline: Pipeline, jobs: Jobs, *, resolve: Resolve = system_resolve) -> None:
        self._library, self._pipeline, self._jobs, self._resolve = library, pipeline, jobs, resolve
        self._runs: dict[str, _Run] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def start(self, base_name: str, asked: Asked, settings: Settings, *, password: SecretStr | None = None) -> str:
        """Read a source into a base, which is made when it is missing, as soon as those before it are done; returns an id.

        `password` opens encrypted files and is kept in memory only. Raises InvalidName, NotWritable.
        """
        base = self._library.ensure_base(base_name)
        key = uuid4().hex
        with self._lock:
            self._runs[key] = _Run(asked, settings, password, Gathered(key, base.id, asked.names))
            if base.id not in self._threads:
                thread = threading.Thread(target=self._work, args=(base.id,), name="gather", daemon=True)
                self._threads[base.id] = thread
                thread.start()
        return key

    def progress(self, base_id: str) -> list[Gathered]:
        """The sources of a base that were not dismissed, in the order they were asked for."""
        with self._lock:
            return [run.state for run in self._runs.values() if run.state.base_id == base_id]

    def busy(self, base_id: str) -> bool:
        """Whether a source of the base waits or is being read."""
        return any(not state.finished for state in self.progress(base_id))

    def cancel(self, key: str) -> None:
        """End after the document at hand; what is queued already stays in the queue."""
        with self._lock:
            run = self._runs.get(key)
            if run is not None and not run.state.finished:
                run.stop.set()
                run.tell(stopping=True, stage="finished" if run.state.stage == "waiting" else run.state.stage)

    def dismiss(self, key: str) -> None:
        """Forget one that is finished."""
        with self._lock:
            if key in self._runs and self._runs[key].state.finished:
                del self._runs[key]

    def stop(self, timeout: float = 30) -> None:
        """Cancel all and wait, at most so many seconds for each base."""
        for key in list(self._runs):
            self.cancel(key)
        for thread in list(self._threads.values()):
            thread.join(timeout)

    def _work(self, base_id: str) -> None:
        while True:
            with self._lock:
                own = (run for run in self._runs.values() if run.state.base_id == base_id)
                run = next((run for run in own if not run.state.finished), None)
                if run is None:
                    del self._threads[base_id]
                    return
            try:
                self._gather(run)
            except (LoadError, StoreError) as error:
                self._end(run, failed(run.asked.names[0], error))
            except Exception as error:  # noqa: BLE001 - the thread has nobody above it; what happened is kept and shown
                said = f"{type(error).__name__}: {error}"
                name = run.asked.names[0]
                self._end(run, FileReport(name, "failed", f"{name}: {said}", "unexpected", {"message": said}))
            else:
                self._end(run)

    def _end(self, run: _Run, problem: FileReport | None = None) -> None:
        with self._lock:
            run.password = None
            run.tell(stage="finished", name="", problem=problem)

    def _gather(self, run: _Run) -> None:
        if not run.wanted():
            return
        self._tell(run, stage="looking")
        with Web(run.settings, resolve=self._resolve, sleep=run.stop.wait) as web:
            places = run.asked.look(web, run.settings, run.wanted)
            left_out = tuple(left for place in places for left in place.left_out)
            unwanted, total = sum(place.unwanted for place in places), sum(place.count for place in places)
            self._tell(run, stage="reading", total=total, unwanted=unwanted, left_out=left_out)
            kept = Kept(self._library, self._library.by_id(run.state.base_id))
            queued = self._read(run, places, kept)
        if run.asked.prune and self._indexed(run, queued):
            self._remove(run, places)

    def _read(self, run: _Run, places: Sequence[Given], kept: Kept) -> list[str]:
        queued: list[str] = []
        for place in places:
            items = place.items(kept)
            while run.wanted() and (item := next(items, None)) is not None:
                queued += self._take(run, item, kept)
        return queued

    def _take(self, run: _Run, item: Item, kept: Kept) -> list[str]:
        """Hand a document over, if there is something new of it; the ids of its jobs."""
        if item.error is not None:
            self._count(run, item.name, told(item.name, item.error, skipped=item.skipped))
            return []
        is_known = item.unchanged or (item.data is not None and kept.known.unchanged(item.name, item.data) is not None)
        jobs: list[str] = []
        if not is_known and item.data is not None:
            base = self._library.by_id(run.state.base_id)  # or one that was deleted meanwhile would be made anew
            jobs = self._jobs.submit(base.name, [Upload(item.name, item.data, run.password)], run.settings)
        if item.origin:
            kept.remember(item.origin)
        self._count(run, item.name, "queued" if jobs else "unchanged")
        return jobs

    def _indexed(self, run: _Run, jobs: Sequence[str]) -> bool:
        """Wait for the files that were handed over, so that one that was renamed is known under its new name before the old goes.

        False when it is to end.
        """
        self._tell(run, stage="indexing", name="")
        waiting = set(jobs)
        while run.wanted() and waiting:
            waiting = self._jobs.unfinished(waiting)
            run.stop.wait(LOOK_SECONDS if waiting else 0)
        return run.wanted()

    def _remove(self, run: _Run, places: Sequence[Given]) -> None:
        base = self._library.by_id(run.state.base_id)
        self._tell(run, stage="removing")
        kept = Kept(self._library, base)
        intake = Intake(self._pipeline, base, kept, run.settings, wanted=run.wanted)
        gone = [name for place in places for name in place.gone(kept)]
        removed = sum(1 for _ in intake.remove(gone))
        self._tell(run, counts=run.state.counts + Counter(deleted=removed))
        if removed:
            self._pipeline.finish(base)

    def _count(self, run: _Run, name: str, outcome: FileReport | str) -> None:
        """One more document was looked at."""
        state = run.state
        status = outcome.status if isinstance(outcome, FileReport) else outcome
        is_told = isinstance(outcome, FileReport) and state.counts[status] < MOST_TOLD
        more = (outcome,) if is_told and isinstance(outcome, FileReport) else ()
        self._tell(run, done=state.done + 1, name=name, counts=state.counts + Counter({status: 1}), told=(*state.told, *more))

    def _tell(self, run: _Run, **changes: object) -> None:
        with self._lock:
            run.tell(**changes)
