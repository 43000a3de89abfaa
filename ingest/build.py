"""Chunks as they are stored, from a document, its segments and their vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.chunkers import Segment, SemanticChunker
from ingest.chunkers.segments import heading_prefix
from ingest.chunkers.semantic import span_of
from ingest.document import LoadedDocument
from store.schema import Chunk, FloatArray, SegmentSpan, chunk_id


def embed_texts(document: LoadedDocument, segments: Sequence[Segment]) -> list[str]:
    """What is embedded of each segment: its text behind the title and the headings above it."""
    return [_behind(heading_prefix(document.title, s.path), document.text[s.start : s.end], ": ") for s in segments]


def build_chunks(
    document: LoadedDocument,
    segments: Sequence[Segment],
    vectors: FloatArray,
    *,
    chunker: SemanticChunker,
    doc_id: str,
    version: str,
) -> list[Chunk]:
    """The chunks: slices of the text, each with the length-weighted mean of its segments' vectors as its own."""
    chunks = []
    for index, run in enumerate(chunker.group(document.text, segments, vectors)):
        inside = segments[run.start : run.stop]
        start, end = span_of(segments, run)
        text = document.text[start:end]
        weights = np.array([s.end - s.start for s in inside], dtype=np.float32)
        mean = weights @ vectors[run.start : run.stop]
        missing = tuple(name for name in (*((document.title,) if document.title else ()), *inside[0].path) if name not in text)
        chunks.append(
            Chunk(
                id=chunk_id(doc_id=doc_id, kind="chunk", start=start, end=end, ordinal=index),
                text=text,
                embed_text=_behind(heading_prefix(None, missing), text, "\n"),
                vector=mean / np.linalg.norm(mean),
                segments=tuple(SegmentSpan(s.start, s.end) for s in inside),
                segment_vectors=vectors[run.start : run.stop],
                doc_id=doc_id,
                version=version,
                chunk_index=index,
                start=start,
                end=end,
                page=document.page_of(start),
                metadata=_later_pages(document, start, end),
                heading=" / ".join(inside[0].path) or None,
                source=document.source,
            )
        )
    return chunks


def _later_pages(document: LoadedDocument, start: int, end: int) -> dict[str, list[tuple[int, int]]]:
    """The pages that begin within a chunk, with their places in the text, so that a citation names the page it is on."""
    pages = [(page.page, page.start) for page in document.pages if start < page.start < end]
    return {"later_pages": pages} if pages else {}


def _behind(prefix: str, text: str, between: str) -> str:
    return f"{prefix}{between}{text}" if prefix else text
