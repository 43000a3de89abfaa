"""How near a passage is to a query, by the vectors of its segments.

Its best segment (MaxSim) tells of a passage with one fitting place, the mean of all of one that is about the matter as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.documents import Document

from store.schema import Candidate, FloatArray, Nearness


def nearness(query: FloatArray, documents: Sequence[Document]) -> list[Nearness | None]:
    """How near each document is; None where it has no segment vectors.

    The best segment's cosine is ColBERT's MaxSim with one query vector (Khattab and Zaharia, 2020). A candidate keeps the result,
    since several layers ask for the same.
    """
    vectors = {number: d.segment_vectors for number, d in enumerate(documents) if isinstance(d, Candidate)}
    held = {number: each for number, each in vectors.items() if each is not None and len(each)}
    candidates = {number: document for number in held if isinstance(document := documents[number], Candidate)}
    new = [number for number, candidate in candidates.items() if candidate.nearness(query) is None]
    if new:
        found = _near(query, [held[number] for number in new], [documents[number] for number in new])
        for number, near in zip(new, found, strict=True):
            candidates[number].keep_nearness(query, near)
    return [candidates[number].nearness(query) if number in candidates else None for number in range(len(documents))]


def _near(query: FloatArray, matrices: Sequence[FloatArray], documents: Sequence[Document]) -> list[Nearness]:
    every = np.concatenate(matrices)
    counts = [len(matrix) for matrix in matrices]
    ends = np.cumsum(counts).tolist()
    starts = [0, *ends[:-1]]
    cosines = every @ query
    best = np.maximum.reduceat(cosines, starts).tolist()
    lengths = _lengths(documents, counts)
    sums = np.add.reduceat(every * lengths[:, None], starts, axis=0)
    mean = (sums @ query / np.linalg.norm(sums, axis=1)).tolist()
    parts = [cosines[start:end] for start, end in zip(starts, ends, strict=True)]
    return [Nearness(*each) for each in zip(parts, best, mean, strict=True)]


def _lengths(documents: Sequence[Document], counts: Sequence[int]) -> FloatArray:
    """The lengths of all segments of the documents, one after the other; alike where they are not known."""
    spans: list[tuple[int, int]] = []
    for document, count in zip(documents, counts, strict=True):
        spans += document.metadata.get("segments") or [(0, 1)] * count
    places = np.array(spans, dtype=np.int64)
    lengths: FloatArray = np.maximum(1, places[:, 1] - places[:, 0]).astype(np.float32)
    return lengths
