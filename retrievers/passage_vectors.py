"""The vector of a whole passage, from those of its segments: what passages are compared with each other by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document

from store.schema import Candidate, FloatArray


def mean_vectors(documents: Sequence[Document]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Unit vectors, shape (documents, dimension), and which of them are known, shape (documents,); unknown ones are zeros.

    A passage's vector is the mean of its segments' weighted by their lengths, as the store keeps it for recall (ingest/build.py).
    Documents without segment vectors have none.
    """
    means = [_mean(document) for document in documents]
    known = np.array([mean is not None for mean in means], dtype=bool)
    dimension = next((len(mean) for mean in means if mean is not None), 0)
    matrix = [np.zeros(dimension, dtype=np.float32) if mean is None else mean for mean in means]
    return np.array(matrix, dtype=np.float32).reshape(len(documents), dimension), known


def _mean(document: Document) -> FloatArray | None:
    vectors = document.segment_vectors if isinstance(document, Candidate) else None
    if vectors is None or not len(vectors):
        return None
    lengths = [end - start for start, end in document.metadata.get("segments", ())]
    weights = lengths if len(lengths) == len(vectors) and any(lengths) else [1] * len(vectors)
    total: FloatArray = np.array(weights, dtype=np.float32) @ vectors
    norm = np.linalg.norm(total)
    return total / norm if norm > 0 else None
