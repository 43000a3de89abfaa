"""How a document would be cut: the chunks, and for the semantic chunker the distances it cuts by. Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from ingest.build import embed_texts
from ingest.chunkers import Piece, Segment, SemanticChunker, get_chunker
from ingest.chunkers.semantic import Curve
from ingest.document import LoadedDocument
from language import Span, width
from settings import Settings
from store.schema import FloatArray

MOST_EMBEDDED = 40_000
"""Characters that are shown of a document which must be embedded to be cut: some five seconds of the built-in embedder."""
MOST_SHOWN = 400_000
"""Characters of one that need not be."""


@dataclass(frozen=True)
class PreviewChunk:
    """`text[start:end]` of the preview; `width` as in the settings (language.width), of which `repeated` is of the chunk before.

    `parent` and `window` are spans that some chunkers know (ingest/chunkers/base.py).
    """

    start: int
    end: int
    width: float
    repeated: float
    heading: str | None
    page: int | None
    segments: tuple[Span, ...]
    parent: Span | None
    window: Span | None


@dataclass(frozen=True)
class Gap:
    """Between two segments, at `place` of the text; `compared` is the distance, or its gradient, as the breakpoint type wants.

    `is_over` says that it is over the threshold, `is_cut` that a chunk begins there: sizes and headings have a say too.
    """

    place: int
    distance: float
    compared: float
    is_over: bool
    is_cut: bool


@dataclass(frozen=True)
class Preview:
    """The beginning of a document as it would be cut; `chars` is the length of all of it, `text` what was looked at.

    `gaps` are None unless the chunker cuts by distances; `threshold` is None where there are fewer than two.
    """

    source: str
    chunker: str
    text: str
    chars: int
    chunks: tuple[PreviewChunk, ...]
    gaps: tuple[Gap, ...] | None = None
    threshold: float | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of the document was looked at."""
        return len(self.text) == self.chars

    def as_json(self) -> dict[str, Any]:
        """The preview as JSON values; spans are pairs."""
        return {
            "source": self.source,
            "chunker": self.chunker,
            "chars": self.chars,
            "previewed_chars": len(self.text),
            "text": self.text,
            "chunks": [vars(chunk) for chunk in self.chunks],
            "gaps": None if self.gaps is None else [vars(gap) for gap in self.gaps],
            "threshold": self.threshold,
        }


def preview(document: LoadedDocument, settings: Settings, embeddings: Embeddings, *, most: int | None = None) -> Preview:
    """Cut the first `most` characters of a document, at most MOST_EMBEDDED or MOST_SHOWN, which is the default.

    With an embedder that keeps vectors (models.get_embeddings with a cache), only what was not seen before is embedded: of the
    settings only segment_size, and a small chunk_size, change what that is. Raises ModelError.
    """
    chunker = get_chunker(settings, embeddings, document=document)
    semantic = chunker if isinstance(chunker, SemanticChunker) else None
    limit = MOST_EMBEDDED if semantic else MOST_SHOWN
    shown = _beginning(document, limit if most is None else min(most, limit))
    page_starts = [page.start for page in shown.pages]
    segments = chunker.segments(shown.text, markdown=shown.markdown, page_starts=page_starts)
    headings = settings.ingest.enrich.heading_path.enabled
    vectors = (
        _vectors(shown, segments, embeddings, headings=headings) if semantic else np.zeros((len(segments), 1), dtype=np.float32)
    )
    pieces = chunker.pieces(shown.text, segments, vectors, markdown=shown.markdown)
    found = Preview(document.source, chunker.name, shown.text, len(document.text), _chunks(shown, pieces))
    if semantic is None:
        return found
    curve = semantic.curve(segments, vectors)
    return replace(found, gaps=_gaps(curve, segments, pieces), threshold=curve.threshold)


def _beginning(document: LoadedDocument, most: int) -> LoadedDocument:
    """The document, or its beginning up to the last end of a line before `most`."""
    if len(document.text) <= most:
        return document
    end = document.text.rfind("\n", most // 2, most) + 1 or most
    pages = tuple(page._replace(end=min(page.end, end)) for page in document.pages if page.start < end)
    rows = tuple(row._replace(end=min(row.end, end)) for row in document.rows if row.start < end)
    return replace(document, text=document.text[:end], pages=pages, rows=rows)


def _vectors(document: LoadedDocument, segments: Sequence[Segment], embeddings: Embeddings, *, headings: bool) -> FloatArray:
    texts = embed_texts(document, segments, headings=headings)
    vectors = np.asarray(embeddings.embed_documents(texts) if texts else [], dtype=np.float32)
    return vectors.reshape(len(segments), -1 if texts else 1)


def _chunks(document: LoadedDocument, pieces: Sequence[Piece]) -> tuple[PreviewChunk, ...]:
    text, ends = document.text, [0, *(piece.end for piece in pieces)]
    return tuple(
        PreviewChunk(
            piece.start,
            piece.end,
            width(text[piece.start : piece.end]),
            width(text[piece.start : before]) if before > piece.start else 0.0,
            " / ".join(piece.path or ()) or None,
            document.page_of(piece.start),
            tuple(Span(part.start, part.end) for part in piece.parts),
            piece.parent,
            piece.window,
        )
        for piece, before in zip(pieces, ends, strict=False)
    )


def _gaps(curve: Curve, segments: Sequence[Segment], pieces: Sequence[Piece]) -> tuple[Gap, ...]:
    """The gaps of the curve; of a chunk that repeats the end of the one before, the cut is where that one ends."""
    ends = {piece.end for piece in pieces}
    cut_after = [segment.end in ends for segment in segments[:-1]]
    limit = float("inf") if curve.threshold is None else curve.threshold
    rows = zip(curve.places, curve.distances, curve.compared, cut_after, strict=True)
    return tuple(Gap(place, distance, value, value > limit, is_cut) for place, distance, value, is_cut in rows)
