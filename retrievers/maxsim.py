"""MaxSim over segments: a chunk is as near to a query as the nearest of its segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.documents import Document

from store.schema import Candidate, FloatArray


def segment_scores(query: FloatArray, documents: Sequence[Document]) -> list[FloatArray | None]:
    """The cosine of the query with each segment of each document, shape (segments,); None where a document has no vectors.

    A candidate keeps them, since several layers ask for the same.
    """
    new = [d for d in documents if isinstance(d, Candidate) and d.segment_vectors is not None and d.cosines(query) is None]
    if new:
        matrices = [document.segment_vectors for document in new if document.segment_vectors is not None]
        scores = np.concatenate(matrices) @ query
        end = 0
        for document, matrix in zip(new, matrices, strict=True):
            document.keep_cosines(query, scores[end : end + len(matrix)])
            end += len(matrix)
    return [document.cosines(query) if isinstance(document, Candidate) else None for document in documents]


def mean_cosines(query: FloatArray, documents: Sequence[Document]) -> list[float | None]:
    """The cosine with the mean of each document's segments, weighted by their lengths; None where a document has no vectors."""
    held = {i: d.segment_vectors for i, d in enumerate(documents) if isinstance(d, Candidate)}
    matrices = {i: vectors for i, vectors in held.items() if vectors is not None and len(vectors)}
    if not matrices:
        return [None] * len(documents)
    means = np.stack([_lengths(documents[i], len(vectors)) @ vectors for i, vectors in matrices.items()])
    cosines = dict(zip(matrices, (means @ query / np.linalg.norm(means, axis=1)).tolist(), strict=True))
    return [cosines.get(i) for i in range(len(documents))]


def _lengths(document: Document, count: int) -> FloatArray:
    spans = document.metadata.get("segments", [(0, 1)] * count)
    return np.array([max(1, end - start) for start, end in spans], dtype=np.float32)


def maxsim(query: FloatArray, documents: Sequence[Document]) -> list[float | None]:
    """The best segment's cosine for each document (ColBERT's MaxSim with one query vector; Khattab and Zaharia, 2020)."""
    return [float(scores.max()) if scores is not None and len(scores) else None for scores in segment_scores(query, documents)]
