"""Enrichment of a base: asks a model for what is missing, keeps each answer at once, and puts it into the index."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel

from ingest.enrich.asker import Answer, Budget, ask_model
from ingest.enrich.asking import Asking
from ingest.enrich.describing import Describing
from ingest.enrich.estimate import Estimate
from ingest.enrich.figures import Figures
from ingest.enrich.kinds import Ask
from ingest.enrich.registry import every_kind, role_of
from ingest.enrich.report import Enriched, Enriching, Status, failure_of, failures_of
from ingest.enrich.rows import Kept, counts_of, lines_of, written_chunks
from ingest.enrich.tags import Tags, new_tags
from ingest.enrich.units import Unit
from ingest.errors import LoadError
from ingest.pipeline import Pipeline
from ingest.prepared import FIGURE
from ingest.vectors import embedded
from models import ModelError
from settings import Settings
from store.changes import Changes
from store.library import Base, StoredDocument
from store.library import Status as Stored
from store.schema import Chunk
from store.stores import Stores
from store.written import Written


@dataclass
class _Told:
    """What becomes of a document."""

    calls: int = 0
    left: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    described: bool = False


class Enrichment:
    """Writes for the chunks of documents what the settings switch on. A document stays searchable whatever happens here.

    What was written is kept as soon as it is there, by what the model was shown: after a stop, by a limit or by a kill, the next
    run asks for the rest only. `budget` tells what was asked of the model so far, and why the run is over, if it ended early.
    """

    def __init__(
        self,
        stores: Stores,
        settings: Settings,
        model: BaseChatModel | None = None,
        *,
        pipeline: Pipeline,
        vision: BaseChatModel | None = None,
    ) -> None:
        self._stores, self._library, self._chosen = stores, stores.library, settings.ingest.enrich
        self._writer, self._vision = model, vision
        self._describing = Describing(stores.library, pipeline, settings)
        self._asking = Asking(stores, settings, self._describing)
        self._every = every_kind(self._chosen)
        self._written = Written(stores.library)
        self.budget = Budget(self._chosen)

    @property
    def kinds(self) -> list[str]:
        """What is switched on."""
        return list(self._asking.kinds)

    @property
    def lacking(self) -> list[str]:
        """What is switched on and has no model."""
        return [kind for kind in self._asking.kinds if self._model_of(kind) is None]

    @property
    def statuses(self) -> tuple[Stored, ...]:
        """Of which documents something can be written: those with text, and where pictures are described also those without."""
        return ("ready", "empty") if Figures.name in self._asking.kinds else ("ready",)

    def estimate(self, base: Base, documents: Sequence[StoredDocument]) -> Estimate:
        """What a run would ask for these documents. No model is called."""
        found = Estimate()
        for document in documents:
            self.count_in(found, base, document)
        return found

    def count_in(self, found: Estimate, base: Base, document: StoredDocument) -> None:
        """Add what a run would ask for one document; why its pictures cannot be read, the run tells. Raises StoreError."""
        asks = self._asking.asks(self._asking.units(base, document))
        with suppress(LoadError):
            asks = [*self._asking.pictures(document).asks, *asks]
        found.add(asks, self._asking.missing(document, asks))

    def run(self, base: Base, documents: Sequence[StoredDocument]) -> Generator[Enriching | Enriched, None, None]:
        """Enrich documents one after the other, with a report each. Call Pipeline.finish when it is over.

        Raises ModelError without a model or with an embedder that fails, StoreError.
        """
        if self.lacking:
            raise no_model(self.lacking)
        with ThreadPoolExecutor(self._chosen.at_once) as pool:
            for document in documents:
                yield from self._document(base, document, pool)

    def remove(self, base: Base, document: StoredDocument) -> Enriched:
        """Take all that was written for a document out of the index and forget it; tags stay. Raises StoreError."""
        with Changes(self._stores).of(base) as now:
            self._stores.open_any(now).replace_written(document.doc_id, [])
            self._written.forget(document.doc_id)
            self._written.tell(document.doc_id, {})
        if document.report.get("figures_from") is not None:
            self._describing.index(now, document)
        return Enriched(document.source, document.doc_id, "enriched")

    def _document(
        self, base: Base, document: StoredDocument, pool: ThreadPoolExecutor
    ) -> Generator[Enriching | Enriched, None, None]:
        told = _Told()
        yield from self._describe(base, document, told, pool)
        now = self._library.with_id(document.doc_id) or document
        units = self._asking.units(base, now)
        yield from self._ask(document, self._asking.asks(units), told, pool)
        kept = self._written.of(document.doc_id)
        counts, changed = self._store(base, now, units, self._rows(units, kept))
        told.tags = self._tag(document, units, kept) if changed is not None else []
        if changed is not None:
            changed = changed or bool(told.tags) or told.described
        status, reason = self._outcome(told.failures, left=told.left, changed=changed)
        yield Enriched(
            document.source,
            document.doc_id,
            status,
            reason and f"{document.source}: {reason}",
            written=counts,
            calls=told.calls,
            left=told.left,
            failures=told.failures,
            tags=told.tags,
        )

    def _describe(
        self, base: Base, document: StoredDocument, told: _Told, pool: ThreadPoolExecutor
    ) -> Generator[Enriching, None, None]:
        """Have the pictures described and put that into the document; one whose pictures cannot be read stays as it is."""
        try:
            pictures = self._asking.pictures(document)
        except LoadError as error:
            told.failures.append(failure_of(Figures.name, str(error), error.code, error.params))
            return
        calls = told.calls
        yield from self._ask(document, pictures.asks, told, pool)
        if told.calls > calls or self._describing.is_behind(document, pictures, self._written.of(document.doc_id)):
            report = self._describing.index(base, document)
            if report.status == "failed":
                told.failures.append(failure_of(Figures.name, report.reason, report.code, report.params))
            told.described = report.status != "failed"

    def _ask(
        self, document: StoredDocument, asks: Sequence[Ask], told: _Told, pool: ThreadPoolExecutor
    ) -> Generator[Enriching, None, None]:
        """Ask for what is missing, as far as the budget goes."""
        missing = self._asking.missing(document, asks)
        answers: list[Answer] = []
        while len(answers) < len(missing) and not self.budget.stopped:
            yield Enriching(document.source, len(answers), len(missing))
            answers += self._answers(document, missing[len(answers) : len(answers) + self._chosen.at_once], pool)
        told.calls += len(answers)
        told.left += len(missing) - len(answers)
        told.failures += failures_of(answers)

    def _answers(self, document: StoredDocument, asks: Sequence[Ask], pool: ThreadPoolExecutor) -> list[Answer]:
        """Ask at the same time, as far as the budget goes; keep what comes of it."""
        answers = list[Answer]()
        for answer in pool.map(self._call, self.budget.admitted(asks)):
            self.budget.count(answer)
            if answer.error is None:
                self._written.keep(document.doc_id, [self._asking.text(answer.ask, answer.value)])
            answers.append(answer)
        return answers

    def _call(self, ask: Ask) -> Answer:
        model = self._model_of(ask.kind)
        assert model is not None, "looked at in run"
        return ask_model(model, self._asking.kinds[ask.kind], ask)

    def _model_of(self, kind: str) -> BaseChatModel | None:
        return self._vision if role_of(kind) == "vision" else self._writer

    def _outcome(self, failures: Sequence[object], *, left: int, changed: bool | None) -> tuple[Status, str]:
        if changed is None:
            return "skipped", "it was replaced or deleted meanwhile. Run it again."
        ended = f" {left} calls are left. {self.budget.stopped}" if left else ""
        if failures:
            return "failed", f"{len(failures)} calls of the model failed.{ended} Run it again to ask for what is missing."
        if left:
            return "left", f"{ended.strip()} Run it again to go on."
        return ("enriched" if changed else "unchanged"), ""

    # --- what is indexed -------------------------------------------------------------------------------------------------------

    def _rows(self, units: Sequence[Unit], kept: Kept) -> list[Chunk]:
        lines = lines_of(self._every, _found(units), kept)
        return written_chunks(lines, embedded(self._stores.embeddings, [line.text for line in lines]))

    def _tag(self, document: StoredDocument, units: Sequence[Unit], kept: Kept) -> list[str]:
        """Give a document the tags that were written for it and that it has not; which these are."""
        kind = self._asking.kinds.get(Tags.name)
        asks = [ask for ask in kind.asks(_found(units)) if (ask.kind, ask.key) in kept] if kind else []
        now = self._library.with_id(document.doc_id) if asks else None
        more = new_tags(now, [tag for ask in asks for tag in kept[ask.kind, ask.key].value]) if now else ()
        if now and more:
            self._library.set_tags(now.doc_id, [*now.tags, *more])
        return list(more)

    def _store(
        self, base: Base, document: StoredDocument, units: Sequence[Unit], rows: Sequence[Chunk]
    ) -> tuple[dict[str, int], bool | None]:
        """Put the rows into the index in one commit; whether that changed anything, None when the chunks are others by now."""
        figures = document.report.get("written", {}).get(FIGURE)
        counts = counts_of(rows) | ({FIGURE: figures} if figures else {})
        with Changes(self._stores).of(base) as now:
            store = self._stores.open(now)
            if {unit.chunk_id for unit in units} != {unit.chunk_id for unit in self._asking.units(now, document)}:
                return {}, None
            held = store.rows_of(document.doc_id, ["id", "text", "enabled"], written=True)
            if {row["id"]: (row["text"], row["enabled"]) for row in held} == {row.id: (row.text, True) for row in rows}:
                return counts, False
            store.replace_written(document.doc_id, rows)
            self._written.tell(document.doc_id, counts)
            return counts, True


def _found(units: Sequence[Unit]) -> list[Unit]:
    """The chunks that are not switched off."""
    return [unit for unit in units if unit.enabled]


def no_model(kinds: Sequence[str]) -> ModelError:
    """The error for enrichment that needs a chat model where there is none."""
    if list(kinds) == [Figures.name]:
        return ModelError("A model that sees describes pictures, and none is set. Set llm.vision.provider, base_url and model.")
    return ModelError(
        f"A chat model writes {', '.join(kinds)}, and none is set (llm.provider is none). "
        "Set llm.provider, llm.base_url and llm.model."
    )
