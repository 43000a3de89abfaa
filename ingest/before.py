"""What was read of a document before: it stands for a file that cannot be read again, as its password was not kept."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ingest.document import LoadedDocument, PageSpan, RowSpan
from store.bases import Base
from store.library import StoredDocument
from store.stored import StoredChunk
from store.stores import Stores

CLOSED = frozenset({"part_encrypted", "part_other_password", "password", "wrong_password"})
"""Why a part of an archive or a mail gave no text that would give it with a password."""
_UNREAD = ("off", "missing", "failed")
_OF_THE_FILE = frozenset(
    {"read_as", "lines_left_out", "damaged", *(f"pages_{kind}_{why}" for kind in ("ocr", "nonsense") for why in _UNREAD)}
)
"""Warnings of a report that are not told of the text, but of how the file was read."""


@dataclass(frozen=True)
class Before:
    """The stored text of a document, with what its report and its chunks tell of it."""

    stores: Stores
    base: Base
    document: StoredDocument

    def knows_more_than(self, read: LoadedDocument) -> bool:
        """Whether parts are closed now that were open when the file was read with its password."""
        closed = {name for (name, _), (code, _) in zip(read.skipped, read.skipped_why, strict=False) if code in CLOSED}
        return not closed <= {str(name) for name, _ in self.document.report.get("skipped") or ()}

    def read(self, *, properties: bool) -> LoadedDocument:
        """The document without its file; with `properties`, what that said of itself goes with each chunk.

        Of rows of tables it is known in which chunk they were. Raises UnknownDocument.
        """
        library, report, doc_id = self.stores.library, self.document.report, self.document.doc_id
        chunks = self.stores.open_any(self.base).chunks_of(doc_id)
        ends = report.get("figures_from")  # behind it stands what a model wrote
        text = library.text(doc_id)[:ends]
        pages = (PageSpan(*page) for page in library.pages(doc_id))
        skipped, whys = report.get("skipped") or (), report.get("skipped_why") or ()
        return LoadedDocument(
            source=self.document.source,
            type=report.get("type"),
            title=report.get("title"),
            author=report.get("author"),
            created=report.get("created"),
            encoding=report.get("encoding"),
            encoding_confidence=report.get("encoding_confidence"),
            ocr_confidence=report.get("ocr_confidence"),
            text=text,
            markdown=bool(report.get("markdown", any(chunk.heading for chunk in chunks))),
            pages=tuple(page for page in pages if page.end <= len(text)),
            rows=_rows(chunks),
            ocr_pages=report.get("ocr_pages") or 0,
            skipped=tuple((str(name), str(reason)) for name, reason in skipped),
            skipped_why=tuple((str(why["code"]), dict(why["params"])) for why in whys),
            keywords=tuple(report.get("keywords") or ()),
            language=report.get("language") if properties else None,
        )

    def remarks(self) -> tuple[dict[str, Any], ...]:
        """What the report says then: where the text is from, and what was told of the file when it was read."""
        reason = (
            "The file is protected by a password, which is not kept. So it was not read again: its passages were cut from the "
            "text that was read before."
        )
        told = (warning for warning in self.document.report.get("warnings") or () if warning.get("code") in _OF_THE_FILE)
        return {"reason": reason, "code": "text_kept", "params": {}}, *told


def _rows(chunks: list[StoredChunk]) -> tuple[RowSpan, ...]:
    """The first and the last row of each chunk, as if they were all over it; what two share counts for the later one."""
    found: list[RowSpan] = []
    for chunk, following in pairwise([*sorted(chunks, key=lambda chunk: chunk.start), None]):
        if chunk is not None and chunk.rows:
            end = chunk.end if following is None else min(chunk.end, max(chunk.start, following.start))
            found += [RowSpan(chunk.sheet, row, chunk.start, end) for row in sorted(set(chunk.rows))]
    return tuple(found)
