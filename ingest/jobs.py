"""The worker that indexes files behind the page: a persisted queue, one writer, progress for whoever asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

from pydantic import SecretStr

from ingest.pipeline import Pipeline
from ingest.report import FileReport
from ingest.standing import FileProgress, Standing, file_progress
from settings import Settings
from store.errors import Occupied
from store.library import Base, Library
from store.queue import CANCELLED, RUNNING, UNFINISHED, WAITING, Job, JobProgress, JobQueue

IDLE_SECONDS = 1.0
"""How often a worker looks for files that another process has queued, or for its turn when another works."""
MOST_SHOWN = 60
"""Files of one kind that a page shows."""
LOOK_SECONDS = 0.25
"""How often it looks whether the file that it has should go on, and writes down how far that is."""


@dataclass(frozen=True)
class Upload:
    """A file that a person handed over; the name is for display, never a path. `password` opens it, if it is encrypted."""

    name: str
    data: bytes
    password: SecretStr | None = None


class Jobs:
    """Accepts files and indexes them one after the other in a thread of its own."""

    def __init__(self, queue: JobQueue, library: Library, pipeline: Pipeline, settings: Settings) -> None:
        self._queue, self._library, self._pipeline, self._settings = queue, library, pipeline, settings
        self._running: dict[str, FileProgress] = {}
        self._touched: dict[str, Base] = {}
        self._passwords: dict[str, SecretStr] = {}
        self.problem = ""
        self._wake, self._stop = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to work: what an earlier process left half done comes first."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="ingest", daemon=True)
            self._thread.start()

    def stop(self, timeout: float = 30) -> None:
        """Stop before the next step of the file at hand, which then waits for the next start; seconds to wait for that."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def submit(self, base_name: str, uploads: Sequence[Upload], settings: Settings) -> list[str]:
        """Accept files: their bytes and places in the queue are on disk when this returns. Returns the jobs' ids.

        Passwords are kept in memory only: after a restart an encrypted file fails, and is retried with its password.
        Raises InvalidName, NotWritable.
        """
        base = self._library.ensure_base(base_name)
        chosen = settings.ingest.model_dump(mode="json")
        ids = []
        for upload in uploads:
            with self._library.files.keeping(upload.data) as version:
                job = Job(uuid4().hex, base.id, upload.name, version, WAITING, settings=chosen)
                if upload.password is not None:  # known before the worker can take the file
                    self._passwords[job.id] = upload.password
                self._queue.put(job)
                ids.append(job.id)
        self._wake.set()
        return ids

    def standing(self, base_name: str, *, most: int = MOST_SHOWN) -> Standing:
        """How the files of a base stand that were handed over and not dismissed, with the first `most` of each kind."""
        base = self._named(base_name)
        if base is None:
            return Standing()
        counts = self._queue.counts(base.id)
        told = self._queue.told() if most else {}

        def progress(job: Job) -> FileProgress:
            here = self._running.get(job.id) if job.status in UNFINISHED else None
            return replace(here or file_progress(job, base.name, told.get(job.id)), status=job.status)

        files = {kind: tuple(map(progress, self._queue.first(base.id, kind, most))) for kind in counts if most}
        return Standing(counts, files)

    def unfinished(self, job_ids: Collection[str]) -> set[str]:
        """Those of these files that wait or are being indexed."""
        return self._queue.unfinished(job_ids)

    def left(self, base_name: str) -> int:
        """How many files of the base wait or are being indexed."""
        base = self._named(base_name)
        return self._queue.left(base.id) if base else 0

    def busy(self, base_name: str) -> bool:
        """Whether files of the base wait or are being indexed."""
        return self.left(base_name) > 0

    def dismiss(self, job_id: str) -> None:
        """Take a finished file off the list; one that is not finished stays."""
        version = self._queue.forget(job_id)
        if version:
            self._library.files.forget([version])

    def clear_finished(self, base_name: str) -> None:
        """Take all finished files of a base off the list, at once. Raises UnknownBase."""
        self._library.files.forget(self._queue.forget_finished(self._library.base(base_name).id))

    def cancel(self, job_id: str) -> None:
        """Let a file be that waits or is under way, here or in another process; nothing of it is stored then. It can be retried.

        A file under way is let go of before its next step, at the latest after the texts that are being embedded; one whose
        chunks are being stored already is stored.
        """
        self._queue.cancel(job_id)
        self._wake.set()

    def cancel_all(self, base_name: str) -> None:
        """`cancel` all files of a base that are not finished, in one step. Raises UnknownBase."""
        self._queue.cancel_all(self._library.base(base_name).id)
        self._wake.set()

    def pause(self, base_name: str) -> None:
        """Begin no more files of a base; the one under way goes back to its place (its vectors are kept). Raises UnknownBase."""
        self._queue.pause(self._library.base(base_name).id)

    def resume(self, base_name: str) -> None:
        """Go on with the files of a base. Raises UnknownBase."""
        self._queue.resume(self._library.base(base_name).id)
        self._wake.set()

    def paused(self, base_name: str) -> bool:
        """Whether the base's files wait for `resume`; persisted, so after a restart as well."""
        base = self._named(base_name)
        return base is not None and self._queue.paused(base.id)

    def retry(self, job_id: str, password: SecretStr | None = None) -> None:
        """Index a finished or cancelled file once more, with `password` if it is encrypted."""
        if password is not None:
            self._passwords[job_id] = password
        self._queue.retry(job_id)
        self._wake.set()

    def _named(self, base_name: str) -> Base | None:
        return next((base for base in self._library.bases() if base.name == base_name), None)

    def _work(self) -> None:
        """Of all processes with this store folder, the one that holds the lock works; when it ends, another takes over."""
        while not self._stop.is_set():
            with self._guarded(), self._library.lock("jobs", timeout=0):
                self._queue.put_back()
                with self._guarded():
                    self._pipeline.recover(self._settings)
                self._work_off()
            self._idle()

    def _work_off(self) -> None:
        while not self._stop.is_set():
            job = self._queue.next()
            if job is not None:
                self._index(job)
                continue
            while self._touched:
                with self._guarded():
                    self._pipeline.finish(self._touched.popitem()[1])
            self._idle()

    def _idle(self) -> None:
        self._wake.wait(IDLE_SECONDS)
        self._wake.clear()

    def _index(self, job: Job) -> None:
        try:
            outcome = self._outcome(job)
        except Exception as error:  # noqa: BLE001 - one file must never end the worker; what happened is kept and shown
            said = f"{type(error).__name__}: {error}"
            outcome = FileReport(job.source, "failed", f"{job.source}: {said}", "unexpected", {"message": said})
        if outcome is None:
            self._queue.put_back(job.id)
        else:
            self._passwords.pop(job.id, None)
            self._queue.finish(job.id, status=outcome.status, reason=outcome.reason, report=outcome.as_json())
        self._running.pop(job.id, None)

    def _outcome(self, job: Job) -> FileReport | None:
        """Index a file; None when it was asked to stop."""
        base = self._library.by_id(job.base_id)
        self._touched[base.id] = base
        progress = self._running[job.id] = file_progress(job, base.name)
        settings = self._settings.override({f"ingest.{key}": value for key, value in job.settings.items()})
        looked = float("-inf")
        data, password = self._library.files.read(job.version), self._passwords.get(job.id)
        with closing(self._pipeline.add(base, job.source, data, settings, password=password)) as events:
            for event in events:
                if isinstance(event, FileReport):
                    return event
                said = JobProgress(event.stage, event.done, event.total, event.rate, event.seconds_left)
                self._running[job.id] = replace(progress, **vars(said))
                if self._stop.is_set():
                    return None
                if (moment := time.monotonic()) - looked >= LOOK_SECONDS:
                    looked = moment
                    wanted = self._queue.wanted(job)
                    if wanted != RUNNING:
                        return None if wanted == WAITING else FileReport(job.source, CANCELLED)
                    self._queue.tell(job.id, said)
        raise AssertionError("the pipeline ends with a report")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Keep what went wrong in `problem` and go on: nothing may end the worker, which tries again."""
        try:
            yield
        except Occupied:
            self.problem = ""
        except Exception as error:  # noqa: BLE001 - a disk that is full now may have room later
            self.problem = f"{type(error).__name__}: {error}"
        else:
            self.problem = ""
