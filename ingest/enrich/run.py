"""Enrichment of a base: asks a model for what is missing, keeps each answer at once, and puts it into the index."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor

from langchain_core.language_models import BaseChatModel

from ingest.enrich.asker import Answer, Budget, ask_model
from ingest.enrich.estimate import Estimate
from ingest.enrich.kinds import Ask
from ingest.enrich.registry import chosen_kinds, every_kind
from ingest.enrich.report import Enriched, Enriching, Status, failures_of
from ingest.enrich.rows import Kept, counts_of, lines_of, written_chunks
from ingest.enrich.tags import Tags, new_tags
from ingest.enrich.units import COLUMNS, Unit
from ingest.vectors import embedded
from models import ModelError
from models.prompts import using
from settings import Settings
from store.changes import Changes
from store.library import Base, StoredDocument
from store.prompts import OwnPrompts
from store.schema import Chunk
from store.stores import Stores
from store.written import Text, Written


class Enrichment:
    """Writes for the chunks of documents what the settings switch on. A document stays searchable whatever happens here.

    What was written is kept as soon as it is there, by what the model was shown: after a stop, by a limit or by a kill, the next
    run asks for the rest only. `budget` tells what was asked of the model so far, and why the run is over, if it ended early.
    """

    def __init__(self, stores: Stores, settings: Settings, model: BaseChatModel | None = None) -> None:
        self._stores, self._library, self._model = stores, stores.library, model
        self._chosen, self._llm = settings.ingest.enrich, settings.llm.of("rewrite")
        self._kinds = {kind.name: kind for kind in chosen_kinds(self._chosen)}
        self._every = every_kind(self._chosen)
        self._written = Written(stores.library)
        self._prompts = OwnPrompts(stores.library.engine)
        self.budget = Budget(self._chosen)

    @property
    def kinds(self) -> list[str]:
        """What is switched on."""
        return list(self._kinds)

    def estimate(self, base: Base, documents: Sequence[StoredDocument]) -> Estimate:
        """What a run would ask for these documents. No model is called."""
        found = Estimate()
        for document in documents:
            self.count_in(found, base, document)
        return found

    def count_in(self, found: Estimate, base: Base, document: StoredDocument) -> None:
        """Add what a run would ask for one document. Raises StoreError."""
        asks = self._asks(self._units(base, document))
        found.add(asks, self._missing(document, asks))

    def run(self, base: Base, documents: Sequence[StoredDocument]) -> Generator[Enriching | Enriched, None, None]:
        """Enrich documents one after the other, with a report each. Call Pipeline.finish when it is over.

        Raises ModelError without a model or with an embedder that fails, StoreError.
        """
        if self._model is None:
            raise no_model(self.kinds)
        with ThreadPoolExecutor(self._chosen.at_once) as pool:
            for document in documents:
                yield from self._document(base, document, pool)

    def remove(self, base: Base, document: StoredDocument) -> Enriched:
        """Take all that was written for a document out of the index and forget it; tags stay. Raises StoreError."""
        with Changes(self._stores).of(base) as now:
            self._stores.open_any(now).replace_written(document.doc_id, [])
            self._written.forget(document.doc_id)
            self._written.tell(document.doc_id, {})
        return Enriched(document.source, document.doc_id, "enriched")

    def _document(
        self, base: Base, document: StoredDocument, pool: ThreadPoolExecutor
    ) -> Generator[Enriching | Enriched, None, None]:
        units = self._units(base, document)
        missing = self._missing(document, self._asks(units))
        answers: list[Answer] = []
        while len(answers) < len(missing) and not self.budget.stopped:
            yield Enriching(document.source, len(answers), len(missing))
            answers += self._answers(document, missing[len(answers) : len(answers) + self._chosen.at_once], pool)
        kept = self._written.of(document.doc_id)
        counts, changed = self._store(base, document, units, self._rows(units, kept))
        tags = self._tag(document, units, kept) if changed is not None else []
        failures = failures_of(answers)
        changed = changed or bool(tags) if changed is not None else None
        status, reason = self._outcome(failures, left=len(missing) - len(answers), changed=changed)
        written = {"written": counts, "calls": len(answers), "left": len(missing) - len(answers)}
        written |= {"failures": failures, "tags": tags}
        yield Enriched(document.source, document.doc_id, status, reason and f"{document.source}: {reason}", **written)  # type: ignore[arg-type]

    def _answers(self, document: StoredDocument, asks: Sequence[Ask], pool: ThreadPoolExecutor) -> list[Answer]:
        """Ask at the same time, as far as the budget goes; keep what comes of it."""
        assert self._model is not None
        model, answers = self._model, list[Answer]()
        for answer in pool.map(lambda ask: ask_model(model, self._kinds[ask.kind], ask), self.budget.admitted(asks)):
            self.budget.count(answer)
            if answer.error is None:
                self._written.keep(document.doc_id, [self._text(answer.ask, answer.value)])
            answers.append(answer)
        return answers

    def _outcome(self, failures: Sequence[object], *, left: int, changed: bool | None) -> tuple[Status, str]:
        if changed is None:
            return "skipped", "it was replaced or deleted meanwhile. Run it again."
        ended = f" {left} calls are left. {self.budget.stopped}" if left else ""
        if failures:
            return "failed", f"{len(failures)} calls of the model failed.{ended} Run it again to ask for what is missing."
        if left:
            return "left", f"{ended.strip()} Run it again to go on."
        return ("enriched" if changed else "unchanged"), ""

    # --- what is asked ---------------------------------------------------------------------------------------------------------

    def _units(self, base: Base, document: StoredDocument) -> list[Unit]:
        rows = self._stores.open(base).rows_of(document.doc_id, COLUMNS)
        return [Unit.of_row(row) for row in rows if row["version"] == document.version]

    def _asks(self, units: Sequence[Unit]) -> list[Ask]:
        """Each text once for a kind, though several chunks may have it."""
        with using(self._prompts.all()):
            return list({(a.kind, a.key): a for kind in self._kinds.values() for a in kind.asks(_found(units))}.values())

    def _missing(self, document: StoredDocument, asks: Sequence[Ask]) -> list[Ask]:
        """The asks that no answer is kept for, of this document or of another one with the same text."""
        kept = self._written.of(document.doc_id)
        open_asks = [a for a in asks if (a.kind, a.key) not in kept or kept[a.kind, a.key].asked != self._asked(a)]
        elsewhere = self._written.elsewhere({a.key for a in open_asks})
        known = [elsewhere[place] for a in open_asks if (place := (a.kind, a.key, self._asked(a))) in elsewhere]
        self._written.keep(document.doc_id, known)
        return [a for a in open_asks if (a.kind, a.key, self._asked(a)) not in elsewhere]

    def _asked(self, ask: Ask) -> str:
        """Who is asked for what: another model or another task is asked anew."""
        return hashlib.sha256(f"{self._llm.base_url}\0{self._llm.model}\0{ask.task}".encode()).hexdigest()

    def _text(self, ask: Ask, value: object) -> Text:
        return Text(ask.kind, ask.key, self._asked(ask), value)

    # --- what is indexed -------------------------------------------------------------------------------------------------------

    def _rows(self, units: Sequence[Unit], kept: Kept) -> list[Chunk]:
        lines = lines_of(self._every, _found(units), kept)
        return written_chunks(lines, embedded(self._stores.embeddings, [line.text for line in lines]))

    def _tag(self, document: StoredDocument, units: Sequence[Unit], kept: Kept) -> list[str]:
        """Give a document the tags that were written for it and that it has not; which these are."""
        kind = self._kinds.get(Tags.name)
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
        counts = counts_of(rows)
        with Changes(self._stores).of(base) as now:
            store = self._stores.open(now)
            if {unit.chunk_id for unit in units} != {row["id"] for row in store.rows_of(document.doc_id, ["id"])}:
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
    return ModelError(
        f"A chat model writes {', '.join(kinds)}, and none is set (llm.provider is none). "
        "Set llm.provider, llm.base_url and llm.model."
    )
