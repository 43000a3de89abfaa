"""A file becomes chunks in a base: load, chunk, embed, store. It yields progress and knows nothing of who watches."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from pydantic import SecretStr

from ingest.before import Before
from ingest.corrections import carry
from ingest.edits import apply
from ingest.errors import LoadError
from ingest.prepare import Preparation
from ingest.prepared import Prepared
from ingest.report import Clock, FileReport, Outcome, Progress, failed
from ingest.sandbox import Sandbox
from models import ModelError
from settings import Settings
from store.changes import Change, Changes
from store.database import clean_text
from store.errors import EmbedderMismatch, Occupied, StoreError, UnknownBase, UnknownDocument
from store.files import Files
from store.library import GONE, Base, StoredDocument, document_id
from store.stores import Stores
from store.written import Written


class Pipeline:
    """Adds files to bases and takes them out again. Any number of processes may do so at once.

    Files are read in `sandbox`, a process that is started when first needed and ends with the pipeline (or with `close`).
    """

    def __init__(self, stores: Stores, sandbox: Sandbox | None = None) -> None:
        self._stores, self._library = stores, stores.library
        self.sandbox = sandbox or Sandbox()
        self._changes, self._preparation = Changes(stores), Preparation(stores.embeddings, self.sandbox, Written(stores.library))

    def close(self) -> None:
        """End the process that reads files; the next file starts one again."""
        self.sandbox.close()

    def run(self, base: Base, source: str, data: bytes, settings: Settings) -> FileReport:
        """Add a file without watching."""
        for event in self.add(base, source, data, settings):
            if isinstance(event, FileReport):
                return event
        raise AssertionError("the pipeline ends with a report")

    def add(
        self, base: Base, source: str, data: bytes, settings: Settings, *, password: SecretStr | None = None
    ) -> Generator[Progress | FileReport, None, None]:
        """Add a file, or put new bytes in place of an old version in one step; the report comes last.

        `password` opens an encrypted file; it is not kept.

        A file, a model or a store that fails makes a report of status `failed` with the reason; what was there before stays.
        """
        source = clean_text(source)
        try:
            yield from self._add(base, source, data, settings=settings, password=password)
        except (LoadError, ModelError, StoreError) as error:
            yield failed(source, error)

    def known(self, base: Base) -> Known:
        """What the base holds now, to recognize many unchanged files at once: as if each had been added at this moment."""
        return Known(self._library.documents(base, statuses=("ready", "empty")), self._library.files)

    def delete(self, base: Base, source: str) -> bool:
        """Take a document out of every leg; an alias of it takes its place. False when there is none of that name."""
        with self._changes.of(base) as now:
            document = self._library.find(now, source)
            if document is None:
                return False
            if clean_text(source) == document.source:
                self._changes.remove(now, document)
            else:
                self._library.drop_alias(now, clean_text(source))
            return True

    def anew(self, base: Base, document: StoredDocument, settings: Settings, *, mend: bool = True) -> FileReport:
        """Index a document again from its kept bytes, whatever is stored of it; from its stored text where a password is needed.

        To `mend` it, its chunks are removed first, as they may be there twice; else the old ones are found until the new ones
        are, and a document that was deleted or replaced meanwhile stays so.
        """
        try:
            data = self._library.files.read(document.version)
            clock = Clock()
            before = Before(self._stores, base, document)
            for event in self._preparation.prepare(base, document.source, data, settings=settings, clock=clock, before=before):
                if not isinstance(event, Progress):
                    return self._store(base, data, event, settings=settings, clock=clock, anew=True, mend=mend)
        except (LoadError, ModelError, StoreError) as error:
            return failed(document.source, error)
        raise AssertionError("a preparation ends with its result")

    def finish(self, base: Base) -> None:
        """Fold what was written into the index; call it once after a batch. Raises StoreError."""
        self._stores.open_any(self._library.by_id(base.id)).optimize()

    def recover(self, settings: Settings) -> list[FileReport]:
        """Do again what processes that were killed left half done, and remove what nobody refers to; returns what was done.

        What is under way elsewhere is left alone, so it may be called at any time.
        """
        reports: list[FileReport] = []
        for base in self._library.bases():
            with suppress(UnknownBase):  # deleted meanwhile
                reports.extend(self._recover(base, settings))
        self._library.tidy()
        return reports

    def _add(
        self, base: Base, source: str, data: bytes, *, settings: Settings, password: SecretStr | None
    ) -> Iterator[Progress | FileReport]:
        with self._changes.of(base) as now:
            self._stores.open(now)  # another embedder's base is refused before the work begins
            version = hashlib.sha256(data).hexdigest()
            known = self._already(now, source, version)
            if known:
                self._library.files.restore(version, data)
        if known:
            yield known
            return
        clock = Clock()
        for event in self._preparation.prepare(base, source, data, settings=settings, clock=clock, password=password):
            if isinstance(event, Progress):
                yield event
            else:
                yield Progress("store", 0, 1)
                yield self._store(base, data, event, settings=settings, clock=clock)

    def _store(
        self,
        base: Base,
        data: bytes,
        prepared: Prepared,
        *,
        settings: Settings,
        clock: Clock,
        anew: bool = False,
        mend: bool = False,
    ) -> FileReport:
        source, whole = prepared.document.source, prepared.whole
        with clock("store"), self._changes.of(base) as now:
            known = None if anew else self._already(now, source, prepared.version)  # by another process, meanwhile
            if known:
                return known
            if mend:  # one of two rows with the same id would stay
                self._stores.open(now).delete_documents([prepared.doc_id])
            before = self._library.with_id(prepared.doc_id)
            if anew and not mend and (before is None or before.version != prepared.version):
                raise UnknownDocument(GONE)
            edits = self._library.edits(prepared.doc_id)
            prepared, kept = carry(edits, prepared, embeddings=self._stores.embeddings, settings=settings)
            report = prepared.report(replaced=before is not None)
            self._changes.put(
                now,
                prepared.row(now, report),
                prepared.rows,
                data=data,
                text=whole.text,
                pages=whole.pages,
                settings=settings.ingest.model_dump(mode="json"),
                edits=kept,
                report=lambda: replace(report, seconds=clock.so_far()).as_json(),
            )
        with suppress(StoreError):  # the document is stored; `finish` tells when this chore fails
            self._stores.open_any(now).optimize_when_due()
        return replace(report, seconds=clock.seconds)

    def _already(self, base: Base, source: str, version: str) -> FileReport | None:
        """The report for bytes that are there: under this name, or under another, where the name becomes an alias."""
        here = self._library.find(base, source)
        if here and here.version == version and here.status in ("ready", "empty"):
            return _report_of(here, source, "unchanged") if here.source == source else _same_content(here, source, "unchanged")
        there = self._library.with_version(base, version)
        if there is None:
            return None
        self._changes.clear(base, document_id(base, source))
        self._library.add_alias(base, there.doc_id, source)
        return _same_content(there, source, "duplicate")

    def _recover(self, base: Base, settings: Settings) -> list[FileReport]:
        with self._changes.of(base) as now:
            left = self._changes.left(now)
            for change in left:
                if change.version is None:
                    self._changes.clear(now, change.doc_id)
                elif change.of_edits:
                    self._apply_edits(now, change, settings)
        reports = [self._again(base, change, settings) for change in left if change.version is not None and not change.of_edits]
        with suppress(Occupied), self._library.lock(f"{base.id}.reindex", timeout=0), self._changes.of(base) as now:
            self._stores.tidy(now)
        return reports

    def _apply_edits(self, base: Base, change: Change, settings: Settings) -> None:
        """Make the chunks what the document's edits say; it waits where their embedder is not the one in use, or fails."""
        document = self._library.with_id(change.doc_id)
        with suppress(EmbedderMismatch, ModelError):
            if document:
                apply(self._stores, base, document, settings)
            else:
                self._changes.abandon(change.doc_id, None)

    def _again(self, base: Base, change: Change, settings: Settings) -> FileReport:
        chosen = settings.override({f"ingest.{key}": value for key, value in change.settings.items()})
        try:
            data = self._library.files.read(str(change.version))
        except UnknownDocument as error:
            self._changes.abandon(change.doc_id, change.version)
            return replace(failed(change.source, error), reason=f"{change.source}: {error}")
        document = self._library.with_id(change.doc_id)
        if document and document.version == change.version:  # it was being indexed again, for which no password is at hand
            return self.anew(base, document, chosen, mend=False)
        return self.run(base, change.source, data, chosen)


class Known:
    """The documents of a base at one moment, by name, further names too."""

    def __init__(self, documents: Sequence[StoredDocument], files: Files) -> None:
        self._documents = {name: document for document in documents for name in (document.source, *document.aliases)}
        self._files = files

    def unchanged(self, source: str, data: bytes) -> FileReport | None:
        """The report for a file that is there with these bytes; None for any other, which is to be added."""
        document = self._documents.get(clean_text(source))
        if document is None or document.version != hashlib.sha256(data).hexdigest():
            return None
        self._files.restore(document.version, data)
        return self.as_it_is(source)

    def as_it_is(self, source: str) -> FileReport:
        """The report for a file that its source knows to be unchanged. Raises KeyError where there is none of that name."""
        name = clean_text(source)
        document = self._documents[name]
        if name == document.source:
            return _report_of(document, name, "unchanged")
        return _same_content(document, name, "unchanged")


def _report_of(document: StoredDocument, source: str, status: Outcome) -> FileReport:
    known = {k: v for k, v in document.report.items() if k in FileReport.__dataclass_fields__}
    return FileReport(**known | {"source": source, "status": status, "seconds": Clock().seconds})


def _same_content(document: StoredDocument, source: str, status: Outcome) -> FileReport:
    reason, params = f"same content as {document.source}", {"other": document.source}
    return replace(_report_of(document, source, status), reason=reason, code="same_content", params=params)
