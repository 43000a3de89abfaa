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
    found: list[float | None] = []
    for document in documents:
        vectors = document.segment_vectors if isinstance(document, Candidate) else None
        if vectors is None:
            found.append(None)
            continue
        lengths = [end - start for start, end in document.metadata.get("segments", [(0, 1)] * len(vectors))]
        mean = np.asarray(lengths, dtype=np.float32) @ vectors
        found.append(float(mean @ query / np.linalg.norm(mean)))
    return found


def maxsim(query: FloatArray, documents: Sequence[Document]) -> list[float | None]:
    """The best segment's cosine for each document (ColBERT's MaxSim with one query vector; Khattab and Zaharia, 2020)."""
    return [float(scores.max()) if scores is not None and len(scores) else None for scores in segment_scores(query, documents)]
