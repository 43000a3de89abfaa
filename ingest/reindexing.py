"""Indexing again behind the page: one base or one document at a time, in a thread, with progress for whoever asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from ingest.pipeline import Pipeline
from ingest.reindex import Reindex
from ingest.report import FileReport
from settings import Settings
from store.errors import Occupied
from store.library import Base, StoredDocument
from store.stores import Stores


@dataclass(frozen=True)
class ReindexProgress:
    """How far a base is: `done` of `total` documents. `problem` is what ended it early, in English; `failed` are what failed.

    A base of which a document failed keeps its old index, whole.
    """

    done: int
    total: int
    finished: bool = False
    cancelled: bool = False
    failed: tuple[FileReport, ...] = ()
    problem: str = ""


class Reindexing:
    """The re-indexes that were begun in this process. After a restart the old index is there, and one begins anew."""

    def __init__(self, stores: Stores, pipeline: Pipeline) -> None:
        self._stores, self._pipeline = stores, pipeline
        self._progress: dict[str, ReindexProgress] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()

    def start(self, base: Base, settings: Settings, document: StoredDocument | None = None) -> None:
        """Begin to index a base again, or one document of it. Raises Occupied while the base is being indexed again."""
        total = 1 if document else len(self._stores.library.documents(base))

        def reports() -> Iterator[FileReport]:
            if document:
                yield self._pipeline.anew(base, document, settings, mend=False)
            else:
                with closing(Reindex(self._stores, base, settings, sandbox=self._pipeline.sandbox).run()) as running:
                    yield from running

        with self._lock:
            if self.busy(base.id):
                raise Occupied("This knowledge base is being indexed again already. Wait until that is finished.")
            self._cancelled.discard(base.id)
            self._progress[base.id] = ReindexProgress(0, total)
            thread = threading.Thread(target=self._work, args=(base.id, reports), name="reindex", daemon=True)
            self._threads[base.id] = thread
            thread.start()

    def progress(self, base_id: str) -> ReindexProgress | None:
        """How far a base is; None when none was begun, or it was dismissed."""
        return self._progress.get(base_id)

    def busy(self, base_id: str) -> bool:
        """Whether the base is being indexed again."""
        progress = self._progress.get(base_id)
        return progress is not None and not progress.finished

    def cancel(self, base_id: str) -> None:
        """Stop after the document at hand; the old index stays as it is."""
        self._cancelled.add(base_id)

    def dismiss(self, base_id: str) -> None:
        """Forget one that is finished."""
        if not self.busy(base_id):
            self._progress.pop(base_id, None)

    def stop(self, timeout: float = 30) -> None:
        """Cancel all and wait, at most so many seconds for each."""
        for base_id, thread in list(self._threads.items()):
            self.cancel(base_id)
            thread.join(timeout)

    def _work(self, base_id: str, reports: Callable[[], Iterator[FileReport]]) -> None:
        progress = self._progress[base_id]
        try:
            for report in reports():
                failed = (*progress.failed, report) if report.status == "failed" else progress.failed
                progress = replace(progress, done=progress.done + 1, total=max(progress.total, progress.done + 1), failed=failed)
                self._progress[base_id] = progress
                if base_id in self._cancelled and progress.done < progress.total:
                    progress = replace(progress, cancelled=True)
                    break
        except Exception as error:  # noqa: BLE001 - the thread has nobody above it; what happened is kept and shown
            progress = replace(progress, problem=f"{type(error).__name__}: {error}")
        self._progress[base_id] = replace(progress, finished=True)
