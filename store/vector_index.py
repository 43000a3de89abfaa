"""The index for nearest vectors of a large table: built once it is worth it, and kept only if it finds what a scan finds."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from lancedb.index import HnswSq
from lancedb.table import Table

DISTANCE = "cosine"
LEAST_RECALL = 0.95
NEIGHBOURS, PROBES = 100, 20
_TRIES = (HnswSq(distance_type=DISTANCE), HnswSq(distance_type=DISTANCE, m=40, ef_construction=600))
"""Scalar-quantized HNSW in IVF cells (Malkov and Yashunin, 2016); measured by benchmarks/retrieval.py."""

_log = logging.getLogger(__name__)


def ensure_vector_index(table: Table, *, from_rows: int) -> float | None:
    """Build the index when the table has so many rows and no index yet; returns its recall@100, None when none was built.

    If even the larger index finds too little, it is dropped again: a slower exact search is better than a wrong one.
    """
    if table.count_rows() < from_rows or has_vector_index(table):
        return None
    found = 0.0
    for config in _TRIES:
        table.create_index("vector", config=config)
        found = recall(table)
        if found >= LEAST_RECALL:
            return found
        table.drop_index(next(index.name for index in table.list_indices() if index.columns == ["vector"]))
    _log.warning("a vector index found %.0f %% of the nearest passages only, so search stays exact", 100 * found)
    return found


def has_vector_index(table: Table) -> bool:
    """Whether the vectors have an index."""
    return any(index.columns == ["vector"] for index in table.list_indices())


def recall(table: Table) -> float:
    """The share of the 100 nearest rows by an exact scan that the index finds too, for 20 stored vectors, shaken a little."""
    places = np.linspace(0, table.count_rows() - 1, PROBES).astype(int).tolist()
    stored = np.array(table.take_offsets(places).select(["vector"]).to_arrow()["vector"].to_pylist(), dtype=np.float32)
    noise = np.random.default_rng(0).standard_normal(stored.shape, dtype=np.float32)
    probes = stored + 0.5 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    shares = [len(_nearest(table, p, exact=True) & _nearest(table, p)) / NEIGHBOURS for p in probes]
    return float(np.mean(shares))


def _nearest(table: Table, probe: Any, *, exact: bool = False) -> set[str]:
    search = (
        table.search(probe, vector_column_name="vector").distance_type(DISTANCE).limit(NEIGHBOURS).select(["id", "_distance"])
    )
    return set((search.bypass_vector_index() if exact else search).to_arrow()["id"].to_pylist())
