"""MaxSim over segments: a chunk is as near to a query as the nearest of its segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.documents import Document

from store.schema import Candidate, FloatArray


def segment_scores(query: FloatArray, documents: Sequence[Document]) -> list[FloatArray | None]:
    """The cosine of the query with each segment of each document, shape (segments,); None where a document has no vectors."""
    matrices = [document.segment_vectors if isinstance(document, Candidate) else None for document in documents]
    present = [matrix for matrix in matrices if matrix is not None]
    if not present:
        return [None] * len(documents)
    scores = np.concatenate(present) @ query
    parts = iter(np.split(scores, np.cumsum([len(matrix) for matrix in present])[:-1]))
    return [None if matrix is None else next(parts) for matrix in matrices]


def maxsim(query: FloatArray, documents: Sequence[Document]) -> list[float | None]:
    """The best segment's cosine for each document (ColBERT's MaxSim with one query vector; Khattab and Zaharia, 2020)."""
    return [float(scores.max()) if scores is not None and len(scores) else None for scores in segment_scores(query, documents)]
