"""What enrichment asks of models for one document, and what of it is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ingest.enrich.describing import Describing, Pictures
from ingest.enrich.figures import Figures
from ingest.enrich.kinds import Ask
from ingest.enrich.registry import chosen_kinds, role_of
from ingest.enrich.units import COLUMNS, Unit
from models.prompts import using
from settings import Settings
from store.library import Base, StoredDocument
from store.prompts import OwnPrompts
from store.stores import Stores
from store.written import Text, Written


class Asking:
    """Makes the calls for what the settings switch on, out of chunks and pictures, and knows those that were made before."""

    def __init__(self, stores: Stores, settings: Settings, describing: Describing) -> None:
        self.kinds = {kind.name: kind for kind in chosen_kinds(settings.ingest.enrich)}
        self._stores, self._llm, self._describing = stores, settings.llm, describing
        self._written, self._prompts = Written(stores.library), OwnPrompts(stores.library.engine)

    def units(self, base: Base, document: StoredDocument) -> list[Unit]:
        """The chunks of its own text; of what a model wrote about its pictures nothing more is written."""
        rows, end = self._stores.open(base).rows_of(document.doc_id, COLUMNS), document.report.get("figures_from")
        return [Unit.of_row(row) for row in rows if row["version"] == document.version and (end is None or row["start"] < end)]

    def pictures(self, document: StoredDocument) -> Pictures:
        """Those that are to be described. Raises LoadError, StoreError."""
        if Figures.name not in self.kinds:
            return Pictures()
        with using(self._prompts.all()):
            return self._describing.pictures(document)

    def asks(self, units: Sequence[Unit]) -> list[Ask]:
        """What is asked of chunks: each text once for a kind, though several chunks may have it."""
        found = [unit for unit in units if unit.enabled]
        with using(self._prompts.all()):
            return list({(a.kind, a.key): a for kind in self.kinds.values() for a in kind.asks(found)}.values())

    def missing(self, document: StoredDocument, asks: Sequence[Ask]) -> list[Ask]:
        """The asks that no answer is kept for, of this document or of another one with the same text."""
        kept = self._written.of(document.doc_id)
        open_asks = [a for a in asks if (a.kind, a.key) not in kept or kept[a.kind, a.key].asked != self._asked(a)]
        elsewhere = self._written.elsewhere({a.key for a in open_asks})
        known = [elsewhere[place] for a in open_asks if (place := (a.kind, a.key, self._asked(a))) in elsewhere]
        self._written.keep(document.doc_id, known)
        return [a for a in open_asks if (a.kind, a.key, self._asked(a)) not in elsewhere]

    def _asked(self, ask: Ask) -> str:
        """Who is asked for what: another model or another task is asked anew."""
        llm = self._llm.of(role_of(ask.kind))
        return hashlib.sha256(f"{llm.base_url}\0{llm.model}\0{ask.task}".encode()).hexdigest()

    def text(self, ask: Ask, value: object) -> Text:
        """What is kept; with a description goes the name of the model, which stands beside it."""
        told = value if ask.picture is None else {"text": value, "model": self._llm.of(role_of(ask.kind)).model}
        return Text(ask.kind, ask.key, self._asked(ask), told)
