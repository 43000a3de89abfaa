"""From the bytes of a file to chunks that can be stored: load, chunk, embed. Nothing is written here."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from pydantic import SecretStr

from ingest.before import Before
from ingest.build import build_chunks, embed_texts
from ingest.chunkers import Chunker, Segment, get_chunker
from ingest.document import LoadedDocument
from ingest.enrich.appendix import Figure, figure_chunks, figures_of
from ingest.enrich.figures import NAME as FIGURES
from ingest.enrich.registry import every_kind
from ingest.enrich.rows import lines_of, written_chunks
from ingest.enrich.tags import tags_of
from ingest.enrich.units import Unit
from ingest.errors import EncryptedFile, LoadError
from ingest.pace import Pace
from ingest.pictures.found import PicturesAsked, text_pages
from ingest.prepared import Prepared
from ingest.report import Clock, Progress
from ingest.sandbox import Sandbox
from ingest.vectors import EMBED_AT_ONCE, checked, embedded
from language import detect, width
from models.base import GlassboxEmbeddings
from settings import Settings
from store.library import Base, document_id
from store.schema import Chunk, FloatArray
from store.written import Written


class Preparation:
    """Prepares files with one embedder; they are read in the sandbox."""

    def __init__(self, embeddings: GlassboxEmbeddings, sandbox: Sandbox, written: Written | None = None) -> None:
        self._embeddings, self._sandbox, self._written = embeddings, sandbox, written

    def prepare(
        self,
        base: Base,
        source: str,
        data: bytes,
        *,
        settings: Settings,
        clock: Clock,
        password: SecretStr | None = None,
        before: Before | None = None,
    ) -> Iterator[Progress | Prepared]:
        """Say how far it is, then give the result; `password` opens the file.

        What was read of it `before`, with a password that is not there any more, stands for what cannot be read now.
        Raises LoadError, ModelError.
        """
        yield Progress("load", 0, 1)
        document, remarks = yield from self._read(source, data, settings=settings, clock=clock, password=password, before=before)
        yield Progress("chunk", 0, 1)
        headings = settings.ingest.enrich.heading_path.enabled
        with clock("chunk"):
            chunker = get_chunker(settings, self._embeddings, document=document)
            page_starts = [page.start for page in document.pages]
            segments = chunker.segments(document.text, markdown=document.markdown, page_starts=page_starts)
        vectors = self._room(len(segments))
        yield from self._embed(embed_texts(document, segments, headings=headings), vectors, clock)
        doc_id, version = document_id(base, source), hashlib.sha256(data).hexdigest()
        with clock("chunk"):
            chunks = _chunks(document, segments, vectors, chunker=chunker, doc_id=doc_id, version=version, headings=headings)
        if settings.ingest.chunk_vector == "direct":
            direct = self._room(len(chunks))
            yield from self._embed([chunk.embed_text for chunk in chunks], direct, clock)
            chunks = [replace(chunk, vector=vector) for chunk, vector in zip(chunks, direct, strict=True)]
        written = self._written_before(doc_id, chunks, settings, clock)
        found, more = self._figures(doc_id, document, data, settings=settings, password=password)
        if found:
            with clock("embed"):
                chunks += figure_chunks(
                    document, found, chunks, place=(doc_id, version), embeddings=self._embeddings, settings=settings
                )
        tags = tags_of(document.keywords) if settings.ingest.enrich.metadata.tags else ()
        remarks = (*remarks, *more)
        yield Prepared(document, tuple(chunks), doc_id, version, chunker.name, written, remarks, tags=tags, figures=found)

    def _read(
        self,
        source: str,
        data: bytes,
        *,
        settings: Settings,
        clock: Clock,
        password: SecretStr | None,
        before: Before | None,
    ) -> Generator[Progress, None, tuple[LoadedDocument, tuple[dict[str, Any], ...]]]:
        """The document and what is to be said of it: of the file, or where that is closed now, of what was read of it before."""
        try:
            document = yield from self._load(source, data, settings=settings, clock=clock, password=password)
            if before is None or not before.knows_more_than(document):
                return document, ()
        except EncryptedFile:
            if before is None:
                raise
        return before.read(properties=settings.ingest.enrich.metadata.enabled), before.remarks()

    def _load(
        self, source: str, data: bytes, *, settings: Settings, clock: Clock, password: SecretStr | None
    ) -> Generator[Progress, None, LoadedDocument]:
        """Read the file; whoever stops listening meanwhile stops the reading."""
        with clock("load"), closing(self._sandbox.load(source, data, settings.ingest, password)) as reading:
            for document in reading:
                if document is not None:
                    return document
                yield Progress("load", 0, 1)
        raise AssertionError("reading ends with a document or an error")

    def _written_before(self, doc_id: str, chunks: Sequence[Chunk], settings: Settings, clock: Clock) -> tuple[Chunk, ...]:
        """What a model wrote for these texts of the document, if it ever did: no model is called for it."""
        kept = self._written.of(doc_id) if self._written else {}
        if not kept:
            return ()
        lines = lines_of(every_kind(settings.ingest.enrich), [Unit.of(chunk) for chunk in chunks], kept)
        with clock("embed"):
            return tuple(written_chunks(lines, embedded(self._embeddings, [line.text for line in lines])))

    def _figures(
        self, doc_id: str, document: LoadedDocument, data: bytes, *, settings: Settings, password: SecretStr | None
    ) -> tuple[tuple[Figure, ...], tuple[dict[str, Any], ...]]:
        """The pictures of the file that were described before, and what is to be said of them: no model is called."""
        kept = self._written.of(doc_id) if self._written else {}
        keys = tuple(key for kind, key in kept if kind == FIGURES)
        if not keys:
            return (), ()
        asked = PicturesAsked(text_pages=text_pages(document.text, document.pages), wanted=keys)
        try:
            found = self._sandbox.pictures(document.source, data, settings.ingest, asked, password)
        except LoadError as error:  # the document itself was read
            reason = f"The descriptions of its pictures are left out, as these could not be read again: {error}"
            return (), ({"reason": reason, "code": "figures_unread", "params": {"message": str(error)}},)
        return tuple(figures_of(document.text, found.pictures, kept, detect(document.text))), ()

    def _room(self, count: int) -> FloatArray:
        """Room for the vectors of so many texts."""
        return np.empty((count, self._embeddings.dimension if count else 0), dtype=np.float32)

    def _embed(self, texts: Sequence[str], into: FloatArray, clock: Clock) -> Iterator[Progress]:
        """Embed each text once, a batch at a time, `into` rows of their own. Raises ModelError on vectors that cannot be used."""
        widths = [0.0, *accumulate(map(width, texts))]
        pace = Pace(widths[-1])  # by width, as a longer text takes longer
        for start in range(0, len(texts), EMBED_AT_ONCE):
            pace.reached(widths[start])
            left = pace.seconds_left
            yield Progress("embed", start, len(texts), round((len(texts) - start) / left, 1) if left else None, left)
            batch = list(texts[start : start + EMBED_AT_ONCE])
            with clock("embed"):
                shape = (len(batch), self._embeddings.dimension)
                into[start : start + len(batch)] = checked(self._embeddings.embed_documents(batch), shape)


def _chunks(
    document: LoadedDocument,
    segments: Sequence[Segment],
    vectors: FloatArray,
    *,
    chunker: Chunker,
    doc_id: str,
    version: str,
    headings: bool,
) -> list[Chunk]:
    if not segments:
        return []
    return build_chunks(document, segments, vectors, chunker=chunker, doc_id=doc_id, version=version, headings=headings)
