"""What a process that works with a store sets for itself: how it collects garbage, and where its threads take memory."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
from collections.abc import Iterator

import pytest

from settings.process import collect_rarely


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_what_is_there_is_looked_at_no_more_and_what_comes_is_still_collected() -> None:
    gc.unfreeze()
    collect_rarely()
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold()[0] > 700
    assert gc.isenabled()
    loop: list[object] = []
    loop.append(loop)
    del loop
    assert gc.collect() >= 1


COUNT_HEAPS = """
import ctypes, sys, tempfile, threading
from settings.process import few_heaps
if sys.argv[1] == "few":
    few_heaps()
libc, ready = ctypes.CDLL(None), threading.Barrier(12)
libc.malloc.restype = ctypes.c_void_p
def take():
    libc.malloc(50_000)
    ready.wait()  # as long as a thread lives, nobody else has its heap
threads = [threading.Thread(target=take) for _ in range(12)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.CDLL(None).fopen
    stream.restype = ctypes.c_void_p
    libc.malloc_info.argtypes, libc.fclose.argtypes = [ctypes.c_int, ctypes.c_void_p], [ctypes.c_void_p]
    told = stream(file.name.encode(), b"w")
    libc.malloc_info(0, told), libc.fclose(told)
    print(file.read().count(b"<heap nr="))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc parts its memory so")
def test_threads_take_memory_from_few_heaps() -> None:
    def heaps(how: str) -> int:
        return int(subprocess.run([sys.executable, "-c", COUNT_HEAPS, how], capture_output=True, check=True, text=True).stdout)

    assert heaps("few") <= 2 < heaps("many")
