"""What a process that answers questions sets for itself."""

from __future__ import annotations

import gc

_THRESHOLDS = (20_000, 20, 50)
"""A question makes some thousands of objects and drops them; by Python's own (700, 10, 10) they are looked through ten times, and
with them, now and then, the half million that were imported: a fifth of the time of a search (benchmarks/retrieval.py)."""


def collect_rarely() -> None:
    """Let Python look for unreachable cycles of objects less often, and no more at what is there now.

    Call it once, when the services are built. See https://docs.python.org/3/library/gc.html#gc.freeze.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
