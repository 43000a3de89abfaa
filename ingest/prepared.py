"""A file that is ready to be stored: its document, its chunks, and what a model wrote for them; and the report of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ingest.document import LoadedDocument
from ingest.enrich.appendix import Figure, with_figures
from ingest.enrich.rows import counts_of
from ingest.garbled import garbled_share
from ingest.remarks import warnings_of
from ingest.report import FileReport
from language import detect
from store.database import now
from store.library import Base, StoredDocument
from store.schema import Chunk

FIGURE = "figure"
"""Described pictures, among what a report counts as written."""


@dataclass(frozen=True)
class Prepared:
    """A file that is ready to be stored."""

    document: LoadedDocument
    chunks: tuple[Chunk, ...]
    doc_id: str
    version: str
    chunker: str = ""
    written: tuple[Chunk, ...] = ()
    """What a model wrote for the chunks before, as rows beside them."""
    remarks: tuple[dict[str, Any], ...] = ()
    """Warnings of the report that are not about the file itself."""

    tags: tuple[str, ...] = ()
    """Tags that the document gets beside those it has."""

    figures: tuple[Figure, ...] = ()
    """Its pictures that were described; `document` is without their descriptions, `text` with them."""

    @property
    def text(self) -> str:
        """The text that is stored."""
        return self.whole.text

    @property
    def whole(self) -> LoadedDocument:
        """The document with the descriptions of its pictures."""
        return with_figures(self.document, self.figures)

    @property
    def rows(self) -> tuple[Chunk, ...]:
        """All that is stored."""
        return self.chunks + self.written

    def row(self, base: Base, report: FileReport) -> StoredDocument:
        """The document as the library keeps it."""
        status = "ready" if self.chunks else "empty"
        source, chunks = self.document.source, len(self.chunks)
        about = (self.doc_id, base.id, source, self.version, status, chunks, report.as_json(), now())
        return StoredDocument(*about, tags=self.tags)  # type: ignore[arg-type]

    def report(self, *, replaced: bool) -> FileReport:
        """What became of the file, once its chunks are stored."""
        document = self.document
        reason, code, params = ("", None, {}) if self.chunks else _why_empty(document)
        garbled = garbled_share(document.text)
        return FileReport(
            document.source,
            "empty" if not self.chunks else "replaced" if replaced else "indexed",
            reason,
            code,
            params,
            doc_id=self.doc_id,
            type=document.type,
            markdown=document.markdown,
            pages=len(document.pages) or None,
            pages_without_text=document.pages_without_text,
            encoding=document.encoding,
            encoding_confidence=document.encoding_confidence,
            language=detect(document.text) if self.chunks else None,
            title=document.title,
            author=document.author,
            created=document.created,
            keywords=list(document.keywords),
            garbled=round(garbled, 3),
            ocr_pages=document.ocr_pages,
            ocr_confidence=document.ocr_confidence,
            skipped=[list(part) for part in document.skipped],
            skipped_why=[{"code": code, "params": params} for code, params in document.skipped_why],
            warnings=[*warnings_of(document, garbled), *self.remarks],
            chunker=self.chunker or None,
            chars=len(self.text),
            chunks=len(self.chunks),
            chunks_stored=len(self.chunks),
            written=counts_of(self.written) | ({FIGURE: len(self.figures)} if self.figures else {}),
            figures_from=len(document.text) if self.figures else None,
        )


def _why_empty(document: LoadedDocument) -> tuple[str, str, dict[str, Any]]:
    """The reason in English, its code and its values."""
    pages = len(document.pages)
    if pages:
        return f"no text found on {pages} page(s); they may be pictures of text", "no_text_on_pages", {"pages": pages}
    return "no text found", "no_text", {}
