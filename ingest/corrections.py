"""Chunks as the edits of their document want them (store/edits.py): switched off, or with another text, which is embedded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ingest.chunkers.segments import Segment, split_segments
from ingest.prepared import Prepared
from ingest.vectors import embedded
from language import width
from models.base import GlassboxEmbeddings
from settings import Settings
from store.census import CHUNK
from store.edits import OFF, PATCH, Edit, Place, Wanted, carried, settled, wanted
from store.schema import Chunk, SegmentSpan

LONGEST_TOLD = 60
"""Characters of a lost text that a report quotes."""


def carry(
    edits: Sequence[Edit], prepared: Prepared, *, embeddings: GlassboxEmbeddings, settings: Settings
) -> tuple[Prepared, list[Edit]]:
    """A new version, or a new index, of a document with its edits as far as their text still stands, and these edits.

    The report names those that are lost now. Raises ModelError.
    """
    if not edits:
        return prepared, []
    text, places = prepared.text, [place_of(chunk) for chunk in prepared.chunks]
    kept = settled(carried(edits, text), text, places)
    made = as_wanted(prepared.rows, wanted(kept, text, places), embeddings=embeddings, settings=settings)
    known = {(edit.kind, edit.original) for edit in edits if edit.lost}
    lost = dict.fromkeys((edit.kind, edit.original) for edit in kept if edit.lost and (edit.kind, edit.original) not in known)
    chunks, written = (tuple(row for row in made if (row.kind == CHUNK) is wants) for wants in (True, False))
    return replace(prepared, chunks=chunks, written=written, remarks=(*prepared.remarks, *_told(list(lost)))), kept


def as_wanted(
    chunks: Iterable[Chunk], states: Mapping[str, Wanted], *, embeddings: GlassboxEmbeddings, settings: Settings
) -> list[Chunk]:
    """The chunks, each switched on or off and with its text as wanted; what was written for a chunk goes with it.

    Only those whose text changes are embedded, all at once. Raises ModelError.
    """
    found = [_switched(chunk, states) for chunk in chunks]
    changed = [n for n, c in enumerate(found) if c.kind == CHUNK and c.override != states[c.id].override]
    blank = {n for n in changed if states[found[n].id].override == ""}
    for number in blank:
        found[number] = _titled(found[number], "")
    numbers = [number for number in changed if number not in blank]
    with_text = [_titled(found[n], states[found[n].id].override) for n in numbers]
    for number, chunk in zip(numbers, _embedded(with_text, embeddings, settings), strict=True):
        found[number] = chunk
    return found


def place_of(chunk: Chunk) -> Place:
    """Where a chunk of a document lies."""
    return Place(chunk.id, chunk.start or 0, chunk.end or 0)


def _switched(chunk: Chunk, states: Mapping[str, Wanted]) -> Chunk:
    if chunk.kind == CHUNK:
        return replace(chunk, enabled=states[chunk.id].enabled)
    state = states.get(chunk.parent_id or "", Wanted())
    return replace(chunk, enabled=state.enabled and state.override is None)  # else it was written for another text


def _titled(chunk: Chunk, override: str | None) -> Chunk:
    """The chunk with another text behind the headings that stand in front of what is indexed."""
    prefix = prefix_of(chunk)
    return replace(chunk, override=override, embed_text=prefix + (chunk.text if override is None else override))


def prefix_of(chunk: Chunk) -> str:
    """What stands in front of the chunk's text in what is indexed."""
    whole, shown = chunk.embed_text, chunk.shown_text
    return whole[: len(whole) - len(shown)] if whole.endswith(shown) else ""


def _embedded(chunks: Sequence[Chunk], embeddings: GlassboxEmbeddings, settings: Settings) -> list[Chunk]:
    """The chunks with segments and vectors of what is shown of them."""
    chosen = settings.ingest
    cut = [_segments(chunk, min(chosen.segment_size, chosen.chunk_size // 2)) for chunk in chunks]
    texts = [_behind(chunk, segment) for chunk, segments in zip(chunks, cut, strict=True) for segment in segments]
    vectors = embedded(embeddings, texts)
    whole = embedded(embeddings, [chunk.embed_text for chunk in chunks]) if chosen.chunk_vector == "direct" else None
    made, at = [], 0
    for number, (chunk, segments) in enumerate(zip(chunks, cut, strict=True)):
        own = vectors[at : at + len(segments)]
        at += len(segments)
        weights = np.array([segment.end - segment.start for segment in segments], dtype=np.float32)
        mean = weights @ own if whole is None else whole[number]
        start = chunk.start or 0
        spans = tuple(SegmentSpan(start + segment.start, start + segment.end) for segment in segments)
        made.append(replace(chunk, segments=spans, segment_vectors=own, vector=mean / np.linalg.norm(mean)))
    return made


def _segments(chunk: Chunk, size: int) -> list[Segment]:
    text = chunk.shown_text
    found = split_segments(text, size=size, markdown=chunk.heading is not None)
    return found or [Segment(0, len(text), 0)]


def _behind(chunk: Chunk, segment: Segment) -> str:
    """What is embedded of a segment: its text behind the headings, as far as what is indexed tells them."""
    names = prefix_of(chunk).strip() or " / ".join(segment.path)
    text = chunk.shown_text[segment.start : segment.end]
    return f"{names}: {text}" if names else text


def _told(lost: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The warnings of a report: what was switched off or corrected and is not in the new text any more."""
    found = []
    for kind, code, what in ((OFF, "switches_lost", "switched-off chunk(s)"), (PATCH, "corrections_lost", "corrected chunk(s)")):
        texts = [" ".join(original.split()) for of, original in lost if of == kind]
        if texts:
            parts = "; ".join(text if width(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]}…" for text in texts[:3])
            reason = (
                f"The text of {len(texts)} {what} does not stand in the document any more, so that is lost: {parts}. "
                "Look at its chunks, and do it again where it is needed."
            )
            found.append({"reason": reason, "code": code, "params": {"count": len(texts), "parts": parts}})
    return found
