"""What a process that works with a store sets for itself."""

from __future__ import annotations

import ctypes
import gc
import platform

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


_HEAPS = 2
_M_ARENA_MAX = -8
"""The option's number in glibc's malloc.h."""


def few_heaps() -> None:
    """Let all threads take memory from few heaps, where the C library is glibc; anywhere else nothing is done.

    By default there are eight for each processor, and LanceDB's threads leave room in each that the others cannot use: memory
    grew by 50 KB with every document added (benchmarks/bulk.py). Call it before the store is opened.
    See https://man7.org/linux/man-pages/man3/mallopt.3.html (M_ARENA_MAX).
    """
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)
