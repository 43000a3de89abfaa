"""How near a passage is to a query, by the vectors of its segments.

Its best segment (MaxSim) tells of a passage with one fitting place, the mean of all of one that is about the matter as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.documents import Document

from store.packed import Vectors, widened
from store.schema import Candidate, FloatArray, Nearness


def nearness(query: FloatArray, documents: Sequence[Document]) -> list[Nearness | None]:
    """How near each document is; None where it has no segment vectors.

    The best segment's cosine is ColBERT's MaxSim with one query vector (Khattab and Zaharia, 2020). A candidate keeps the result,
    since several layers ask for the same.
    """
    candidates = [document if isinstance(document, Candidate) else None for document in documents]
    held = [(c, c.stored_vectors) for c in candidates if c is not None and c.nearness(query) is None]
    new = [(candidate, vectors) for candidate, vectors in held if vectors is not None and len(vectors)]
    if new:
        unknown, matrices = zip(*new, strict=True)
        for candidate, near in zip(unknown, _near(query, matrices, unknown), strict=True):
            candidate.keep_nearness(query, near)
    return [None if candidate is None else candidate.nearness(query) for candidate in candidates]


def _near(query: FloatArray, matrices: Sequence[Vectors], documents: Sequence[Document]) -> list[Nearness]:
    every = widened(matrices)
    counts = [len(matrix) for matrix in matrices]
    ends = np.cumsum(counts).tolist()
    starts = [0, *ends[:-1]]
    cosines = every @ query
    best = np.maximum.reduceat(cosines, starts).tolist()
    lengths = _lengths(documents, counts)
    sums = np.stack([lengths[start:end] @ every[start:end] for start, end in zip(starts, ends, strict=True)])
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
