"""Passages made by hand: slices of a text, with segments, vectors and scores as the pipeline gives them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from language import sentences
from retrievers.ledger import Mark
from store.schema import Candidate


class ChunkSpan(NamedTuple):
    """A chunk of a document, as the store tells it."""

    start: int
    end: int
    heading: str | None = None


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def passage(
    name: str, *vectors: Sequence[float], text: str = "", scores: dict[str, float] | None = None, **known: Any
) -> Candidate:
    """A passage by itself. Each vector is that of a segment; the segments have equal lengths."""
    text = text or f"text of {name}"
    step = len(text) // max(1, len(vectors))
    places = [(i * step, (i + 1) * step) for i in range(len(vectors))] or [(0, len(text))]
    marks = {stage: Mark(1, score) for stage, score in (scores or {}).items()}
    metadata = {"source": f"{name}.md", "segments": places, "scores": marks} | known
    matrix = np.stack([unit(*vector) for vector in vectors]) if vectors else None
    return Candidate(id=name, page_content=text, metadata=metadata).with_segment_vectors(matrix)


def part(text: str, start: int, end: int, *, doc: str = "doc", heading: str | None = None, **known: Any) -> Candidate:
    """The passage text[start:end] of a document, a segment a sentence, with cosines that rise towards its end."""
    segments = [tuple(span) for span in sentences(text, start=start, end=end)]
    metadata: dict[str, Any] = {
        "doc_id": doc,
        "source": f"{doc}.md",
        "start": start,
        "end": end,
        "segments": segments,
        "scores": {},
    }
    metadata["segment_cosines"] = [0.8 + place / 10_000 for place, _ in segments]
    vectors = np.stack([unit(1, place / 100, place % 7) for place, _ in segments])
    candidate = Candidate(id=f"{doc}:{start}", page_content=text[start:end], metadata=metadata | {"heading": heading} | known)
    return candidate.with_segment_vectors(vectors)


def names(documents: Sequence[Any]) -> list[str]:
    return [str(document.id) for document in documents]
