"""A file becomes chunks in a base: load, chunk, embed, store. It yields progress and knows nothing of who watches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ingest.build import build_chunks, embed_texts
from ingest.chunkers import get_chunker
from ingest.document import LoadedDocument, join
from ingest.errors import LoadError
from ingest.loaders import get_loader
from ingest.report import Clock, FileReport, Outcome, Progress
from models import ModelError
from settings import Settings
from store.database import now
from store.errors import StoreError
from store.library import Base, StoredDocument, document_id
from store.schema import Chunk, FloatArray
from store.stores import Stores

EMBED_AT_ONCE = 64
"""Segments between two progress events."""


class Pipeline:
    """Adds files to bases and takes them out again."""

    def __init__(self, stores: Stores) -> None:
        self._stores, self._library = stores, stores.library

    def run(self, base: Base, source: str, data: bytes, settings: Settings) -> FileReport:
        """Add a file without watching."""
        for event in self.add(base, source, data, settings):
            if isinstance(event, FileReport):
                return event
        raise AssertionError("the pipeline ends with a report")

    def add(self, base: Base, source: str, data: bytes, settings: Settings) -> Iterator[Progress | FileReport]:
        """Add a file, or put new bytes in place of an old version in one step; the report comes last.

        A file or a model that fails makes a report of status `failed` with the reason; what was there before stays.
        """
        version = hashlib.sha256(data).hexdigest()
        known = self._already(base, source, version)
        if known:
            yield known
            return
        try:
            yield from self._index(base, source, data, settings)
        except (LoadError, ModelError, StoreError) as error:
            yield FileReport(source, "failed", str(error))
        except OSError as error:
            yield FileReport(
                source, "failed", f"{source}: cannot be written to the store ({error.strerror}). Free some space and try again."
            )

    def delete(self, base: Base, source: str) -> bool:
        """Take a document out of every leg; an alias of it takes its place. False when there is none of that name."""
        document = self._library.find(base, source)
        if document is None:
            return False
        if source != document.source:
            self._library.drop_alias(base, source)
            return True
        self._take_out(base, document)
        return True

    def finish(self, base: Base) -> None:
        """Fold what was written into the index; call it once after a batch."""
        self._stores.open(base).optimize()

    def recover(self, settings: Settings) -> list[FileReport]:
        """Do again what a process that ended in the middle left half done; returns what was done."""
        reports = []
        for base in self._library.bases():
            for document in self._library.documents(base, statuses=["deleting"]):
                self._take_out(base, document)
            for document in self._library.documents(base, statuses=["pending"]):
                data = self._library.file(document.version)
                reports += [self.run(base, document.source, data, settings)]
        return reports

    def _already(self, base: Base, source: str, version: str) -> FileReport | None:
        """The report for bytes that are there: under this name, or under another, where the name becomes an alias."""
        here = self._library.find(base, source)
        there = self._library.with_version(base, version)
        if here and here.version == version and here.status in ("ready", "empty"):
            reason = "" if here.source == source else f"same content as {here.source}"
            return self._report_of(here, source, "unchanged", reason)
        if there is None:
            return None
        if here and here.source == source:
            self._take_out(base, here)
        self._library.add_alias(base, there.doc_id, source)
        return self._report_of(there, source, "duplicate", f"same content as {there.source}")

    def _report_of(self, document: StoredDocument, source: str, status: Outcome, reason: str) -> FileReport:
        known = {k: v for k, v in document.report.items() if k in FileReport.__dataclass_fields__}
        return FileReport(**known | {"source": source, "status": status, "reason": reason, "seconds": {}})

    def _index(self, base: Base, source: str, data: bytes, settings: Settings) -> Iterator[Progress | FileReport]:
        clock = Clock()
        yield Progress("load", 0, 1)
        with clock("load"):
            document = join(source, get_loader(source, data, max_mb=settings.ingest.max_file_mb).lazy_load())
        chunks: list[Chunk] = []
        for event in self._chunk(base, document, hashlib.sha256(data).hexdigest(), settings=settings, clock=clock):
            if isinstance(event, Progress):
                yield event
            else:
                chunks = event
        yield Progress("store", 0, 1)
        with clock("store"):
            report = self._store(base, data, document, chunks, settings=settings)
        yield replace(report, seconds=clock.seconds)

    def _chunk(
        self, base: Base, document: LoadedDocument, version: str, *, settings: Settings, clock: Clock
    ) -> Iterator[Progress | list[Chunk]]:
        yield Progress("chunk", 0, 1)
        with clock("chunk"):
            chunker = get_chunker(settings, self._stores.embeddings)
            segments = chunker.segments(document.text, markdown=document.markdown)
            texts = embed_texts(document, segments)
        parts = [np.zeros((0, self._stores.embeddings.dimension), dtype=np.float32)]
        for start in range(0, len(texts), EMBED_AT_ONCE):
            yield Progress("embed", start, len(texts))
            with clock("embed"):
                parts.append(self._embed(texts[start : start + EMBED_AT_ONCE]))
        with clock("chunk"):
            doc_id = document_id(base, document.source)
            chunks = build_chunks(document, segments, np.concatenate(parts), chunker=chunker, doc_id=doc_id, version=version)
        if settings.ingest.chunk_vector == "direct" and chunks:
            with clock("embed"):
                vectors = self._embed([chunk.embed_text for chunk in chunks])
            chunks = [replace(chunk, vector=vector) for chunk, vector in zip(chunks, vectors, strict=True)]
        yield chunks

    def _embed(self, texts: list[str]) -> FloatArray:
        return np.asarray(self._stores.embeddings.embed_documents(texts), dtype=np.float32)

    def _store(
        self, base: Base, data: bytes, document: LoadedDocument, chunks: Sequence[Chunk], *, settings: Settings
    ) -> FileReport:
        """Write the row as pending, then the chunks in one commit, then the row as ready."""
        doc_id = document_id(base, document.source)
        before = self._library.find(base, document.source)
        before = before if before and before.source == document.source else None
        if before and before.aliases:
            self._pass_on(base, before)
        store = self._stores.open(base)
        row = StoredDocument(doc_id, base.id, document.source, self._library.keep_file(data), "pending", len(chunks), {}, now())
        self._stores.sign(base, settings)
        self._library.put(base, row, text=document.text, pages=document.pages)
        if chunks:
            store.replace_document(doc_id, chunks)
        else:
            store.delete_documents([doc_id])
        stored = store.count({"doc_id": doc_id})
        if stored != len(chunks):
            raise StoreError(f"{document.source}: {len(chunks)} chunks were made and {stored} stored. Add it again.")
        report = _report(document, row, replaced=before is not None, stored=stored)
        row = replace(row, status="ready" if chunks else "empty", report=report.as_json())
        self._library.put(base, row, text=document.text, pages=document.pages)
        if before:
            self._library.forget_file(before.version)
        return report

    def _take_out(self, base: Base, document: StoredDocument) -> None:
        """Remove a document; if its bytes have a further name, they live on under that one."""
        if document.aliases:
            self._pass_on(base, document)
        self._library.set_status(document.doc_id, "deleting")
        self._stores.open(base).delete_documents([document.doc_id])
        self._library.delete_document(document.doc_id)

    def _pass_on(self, base: Base, document: StoredDocument) -> None:
        """Index the document's bytes under the first of its aliases, which takes the others over."""
        heir, *others = document.aliases
        data = self._library.file(document.version)
        for _ in self._index(base, heir, data, self._settings_of(base)):
            pass  # nobody watches: the vectors are cached
        for alias in others:
            self._library.add_alias(base, document_id(base, heir), alias)

    def _settings_of(self, base: Base) -> Settings:
        """The settings that the base was built with."""
        return Settings().override({f"ingest.{key}": value for key, value in base.passport.get("ingest", {}).items()})


def _report(document: LoadedDocument, row: StoredDocument, *, replaced: bool, stored: int) -> FileReport:
    return FileReport(
        document.source,
        "empty" if not row.chunks else "replaced" if replaced else "indexed",
        _why_empty(document) if not row.chunks else "",
        doc_id=row.doc_id,
        pages=len(document.pages) or None,
        pages_without_text=document.pages_without_text,
        encoding=document.encoding,
        encoding_confidence=document.encoding_confidence,
        chars=len(document.text),
        chunks=row.chunks,
        chunks_stored=stored,
    )


def _why_empty(document: LoadedDocument) -> str:
    if document.pages:
        return f"no text found on {len(document.pages)} page(s); they may be pictures of text"
    return "no text found"
