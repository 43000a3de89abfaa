"""Chunks as they are stored, from a document, its segments and their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ingest.chunkers import Chunker, Piece, Segment
from ingest.chunkers.segments import heading_prefix
from ingest.document import LoadedDocument
from store.schema import Chunk, FloatArray, SegmentSpan, chunk_id


def embed_texts(document: LoadedDocument, segments: Sequence[Segment], *, headings: bool = True) -> list[str]:
    """What is embedded of each segment: its text, with `headings` behind the title and the headings above it."""
    if not headings:
        return [document.text[s.start : s.end] for s in segments]
    return [_behind(heading_prefix(document.title, s.path), document.text[s.start : s.end], ": ") for s in segments]


def build_chunks(
    document: LoadedDocument,
    segments: Sequence[Segment],
    vectors: FloatArray,
    *,
    chunker: Chunker,
    doc_id: str,
    version: str,
    headings: bool = True,
) -> list[Chunk]:
    """The chunks: slices of the text, each with the mean of its segments' vectors, weighted by their lengths within it.

    With `headings`, what full text indexes of a chunk has the title and the headings that it does not hold itself in front.
    """
    chunks, about = [], _about(document)
    for index, piece in enumerate(chunker.pieces(document.text, segments, vectors, markdown=document.markdown)):
        start, end, path = piece.start, piece.end, piece.path or ()
        text = document.text[start:end]
        inside = _rows_of(vectors, [part.segment for part in piece.parts])
        weights = np.array([part.end - part.start for part in piece.parts], dtype=np.float32)
        mean = weights @ inside
        above = (*((document.title,) if document.title else ()), *path) if headings else ()
        missing = tuple(name for name in above if name not in text)
        chunks.append(
            Chunk(
                id=chunk_id(doc_id=doc_id, kind="chunk", start=start, end=end, ordinal=index),
                text=text,
                embed_text=_behind(heading_prefix(None, missing), text, "\n"),
                vector=mean / np.linalg.norm(mean),
                segments=tuple(SegmentSpan(part.start, part.end) for part in piece.parts),
                segment_vectors=inside,
                doc_id=doc_id,
                version=version,
                parent_id=_parent_id(doc_id, piece),
                chunk_index=index,
                start=start,
                end=end,
                page=document.page_of(start),
                metadata=about | _later_pages(document, start, end) | _rows(document, start, end) | piece.metadata(),
                heading=" / ".join(path) or None,
                source=document.source,
            )
        )
    return chunks


def _rows_of(vectors: FloatArray, numbers: Sequence[int]) -> FloatArray:
    """These rows; without a copy where they follow each other, as a chunk's segments do: a large text has gigabytes of them."""
    first, last = numbers[0], numbers[-1]
    return vectors[first : last + 1] if list(numbers) == list(range(first, last + 1)) else vectors[list(numbers)]


def _parent_id(doc_id: str, piece: Piece) -> str | None:
    """The same for all chunks of one parent."""
    if piece.parent is None:
        return None
    return chunk_id(doc_id=doc_id, kind="parent", start=piece.parent.start, end=piece.parent.end, ordinal=0)


def _about(document: LoadedDocument) -> dict[str, Any]:
    """What is known of the whole document, for whoever reads a chunk of it."""
    known = {"title": document.title, "author": document.author, "created": document.created, "language": document.language}
    return {name: value for name, value in known.items() if value is not None} if document.language else {}


def _later_pages(document: LoadedDocument, start: int, end: int) -> dict[str, Any]:
    """The pages that begin within a chunk, with their places in the text, so that a citation names the page it is on."""
    pages = [(page.page, page.start) for page in document.pages if start < page.start < end]
    return {"later_pages": pages} if pages else {}


def _rows(document: LoadedDocument, start: int, end: int) -> dict[str, Any]:
    """The sheet, where there is one, and the first and last row of a table that a chunk holds a part of."""
    place = document.rows_within(start, end)
    if place is None:
        return {}
    sheet, first, last = place
    return {"rows": [first, last]} if sheet is None else {"sheet": sheet, "rows": [first, last]}


def _behind(prefix: str, text: str, between: str) -> str:
    return f"{prefix}{between}{text}" if prefix else text
