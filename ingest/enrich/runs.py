"""Enrichment behind the page: counted first, begun when somebody says so, one run a base, in a thread, with progress."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from langchain_core.language_models import BaseChatModel

from ingest.enrich.estimate import Estimate
from ingest.enrich.registry import role_of
from ingest.enrich.report import Enriched
from ingest.enrich.run import Enrichment
from ingest.enrich.tags import new_tags
from ingest.errors import Reason
from ingest.pipeline import Pipeline
from ingest.report import FileReport, failed
from models import ModelError
from settings import Settings
from store.errors import Occupied, StoreError
from store.library import Base, StoredDocument
from store.stores import Stores

Stage = Literal["counting", "counted", "writing", "finished"]
MOST_TOLD = 100
"""So many documents that are not wholly done are told of by name; all are counted."""
_WHOLE = frozenset({"enriched", "unchanged"})


@dataclass(frozen=True)
class EnrichProgress:
    """How far a run is: `done` of `documents` were counted, or written for; the one at hand is `source`.

    `models` are asked, by kind. It has made `calls` of them and used about so many `tokens`; `estimate` is what it would take in
    all. `written` counts the rows that are indexed by kind, `tagged` the documents that got tags. `told` are the reports of
    documents that are not wholly done, the first of them. `stopped` says why the models are asked no more, `problem` what ended
    the run.
    """

    base_id: str
    kinds: tuple[str, ...]
    keywords: bool
    models: Mapping[str, str]
    documents: int
    stage: Stage = "counting"
    done: int = 0
    source: str = ""
    estimate: Estimate = field(default_factory=Estimate)
    calls: int = 0
    tokens: int = 0
    failures: int = 0
    written: Counter[str] = field(default_factory=Counter)
    tagged: int = 0
    told: tuple[Enriched, ...] = ()
    stopping: bool = False
    stopped: Reason | None = None
    problem: FileReport | None = None

    @property
    def model(self) -> str:
        """The names of the models that are asked, each once."""
        return ", ".join(dict.fromkeys(self.models.values()))

    @property
    def under_way(self) -> bool:
        """Whether it goes on by itself."""
        return self.stage in ("counting", "writing")

    @property
    def remaining(self) -> int:
        """Calls that are not made yet, or failed: what the next run asks for."""
        return max(0, self.estimate.calls - self.calls + self.failures)


@dataclass
class _Run:
    """What a run needs; `stop` is set when it is to end."""

    base: Base
    documents: Sequence[StoredDocument]
    enrichment: Enrichment
    state: EnrichProgress
    stop: threading.Event = field(default_factory=threading.Event)


class EnrichmentRuns:
    """The runs that were begun in this process. What was written is kept at once, so a restart loses nothing of it."""

    def __init__(self, stores: Stores, pipeline: Pipeline) -> None:
        self._stores, self._library, self._pipeline = stores, stores.library, pipeline
        self._runs: dict[str, _Run] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def count(
        self,
        base: Base,
        settings: Settings,
        *,
        model: BaseChatModel | None,
        vision: BaseChatModel | None = None,
        keywords: bool = False,
        document: StoredDocument | None = None,
    ) -> None:
        """Find out what it would take to write what the settings switch on, for a base or one document of it; nothing is written.

        With `keywords`, those that files name themselves become tags, which takes no model. Raises Occupied while a run of the
        base is under way.
        """
        enrichment = Enrichment(self._stores, settings, model, pipeline=self._pipeline, vision=vision)
        chosen = [document] if document else self._library.documents(base, statuses=enrichment.statuses)
        named = {kind: settings.llm.of(role_of(kind)).model for kind in enrichment.kinds}
        state = EnrichProgress(base.id, tuple(enrichment.kinds), keywords, named, len(chosen))
        with self._lock:
            if self._is_busy(base.id):
                raise Occupied("This knowledge base is being enriched already. Wait until that is finished, or cancel it.")
            self._runs[base.id] = run = _Run(base, chosen, enrichment, state)
            self._begin(run, self._count)

    def start(self, base_id: str) -> None:
        """Begin what was counted; nothing happens where nothing was."""
        with self._lock:
            run = self._runs.get(base_id)
            if run and run.state.stage == "counted":
                run.state = replace(run.state, stage="writing", done=0)
                self._begin(run, self._write)

    def progress(self, base_id: str) -> EnrichProgress | None:
        """How far the base's run is; None when there is none, or it was dismissed."""
        run = self._runs.get(base_id)
        return run.state if run else None

    def cancel(self, base_id: str) -> None:
        """End after the calls at hand, whose answers are kept; one that was not begun yet is forgotten."""
        with self._lock:
            run = self._runs.get(base_id)
            if run and run.state.under_way:
                run.stop.set()
                run.state = replace(run.state, stopping=True)
            elif run and run.state.stage == "counted":
                del self._runs[base_id]

    def dismiss(self, base_id: str) -> None:
        """Forget a run that is finished."""
        with self._lock:
            if base_id in self._runs and self._runs[base_id].state.stage == "finished":
                del self._runs[base_id]

    def stop(self, timeout: float = 30) -> None:
        """Cancel all and wait, at most so many seconds for each."""
        for base_id in list(self._runs):
            self.cancel(base_id)
        for thread in list(self._threads.values()):
            thread.join(timeout)

    def _is_busy(self, base_id: str) -> bool:
        return base_id in self._runs and self._runs[base_id].state.under_way

    def _begin(self, run: _Run, work: Callable[[_Run], None]) -> None:
        thread = threading.Thread(target=self._guarded, args=(run, work), name="enrich", daemon=True)
        self._threads[run.base.id] = thread
        thread.start()

    def _guarded(self, run: _Run, work: Callable[[_Run], None]) -> None:
        try:
            work(run)
        except (ModelError, StoreError) as error:
            self._tell(run, stage="finished", problem=failed(run.base.name, error))
        except Exception as error:  # noqa: BLE001 - the thread has nobody above it; what happened is kept and shown
            said = f"{type(error).__name__}: {error}"
            problem = FileReport(run.base.name, "failed", said, "unexpected", {"message": said})
            self._tell(run, stage="finished", problem=problem)

    def _count(self, run: _Run) -> None:
        found = Estimate()
        for number, document in enumerate(run.documents, start=1):
            if run.stop.is_set():
                with self._lock:
                    del self._runs[run.base.id]
                return
            run.enrichment.count_in(found, run.base, document)
            self._tell(run, done=number, source=document.source)
        self._tell(run, stage="counted", estimate=found, source="")

    def _write(self, run: _Run) -> None:
        if run.state.keywords:
            self._tag(run)
        if run.state.kinds and run.state.estimate.documents:
            self._ask(run)
            self._pipeline.finish(run.base)
        self._tell(run, stage="finished", source="")

    def _tag(self, run: _Run) -> None:
        for document in run.documents:
            now = None if run.stop.is_set() else self._library.with_id(document.doc_id)
            more = new_tags(now, now.report.get("keywords") or ()) if now else ()
            if now and more:
                self._library.set_tags(now.doc_id, [*now.tags, *more])
                self._tell(run, tagged=run.state.tagged + 1)

    def _ask(self, run: _Run) -> None:
        budget = run.enrichment.budget
        for event in run.enrichment.run(run.base, run.documents):
            if run.stop.is_set():
                budget.stop(Reason("It was cancelled.", "cancelled"))
            self._tell(run, source=event.source, calls=budget.calls, tokens=budget.tokens, stopped=budget.stopped)
            if isinstance(event, Enriched):
                self._report(run, event)
                if run.stop.is_set():
                    break

    def _report(self, run: _Run, report: Enriched) -> None:
        state = run.state
        more = (report,) if report.status not in _WHOLE and len(state.told) < MOST_TOLD else ()
        failures, written = state.failures + len(report.failures), state.written + Counter(report.written)
        tagged = state.tagged + bool(report.tags)
        self._tell(run, done=state.done + 1, failures=failures, written=written, tagged=tagged, told=(*state.told, *more))

    def _tell(self, run: _Run, **changes: object) -> None:
        with self._lock:
            run.state = replace(run.state, **changes)  # type: ignore[arg-type]
