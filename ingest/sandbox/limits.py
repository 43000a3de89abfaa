"""What holds the process that reads files in bounds.

- Time: the app kills the process. Should the app be gone and the process not have noticed: a timer (Linux, macOS).
- Memory in use: the app looks ten times a second on Linux, each second on macOS (`ps`), and kills it. On Windows there
  is no bound.
- One huge allocation, faster than the app looks: RLIMIT_AS on Linux, `HEADROOM_MB` above the limit, since libraries reserve more
  than they use. macOS accepts that limit and does not hold it.
- The app is killed: the kernel kills the process as well on Linux; elsewhere a thread sees the end of its input, which it does as
  soon as the interpreter is free.
- Network: Python's connections are refused everywhere; no key or setting is in the environment.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from settings.ingest import ParseSettings

HEADROOM_MB = 4096
_GRACE_SECONDS = 30
_NETWORK = frozenset({"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"})


def resident_mb(pid: int) -> float:
    """The memory that a process has in use; 0 where that cannot be told, or when it has ended."""
    try:
        if sys.platform == "darwin":
            said = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=False).stdout
            return int(said) / 1024
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError, IndexError):
        return 0.0


def die_with(lifeline: int) -> None:
    """Let the kernel kill this process when the other end of a pipe, to which nothing is ever written, is closed.

    Unlike a thread that waits for the end of a pipe it works while a library holds the interpreter, and unlike
    PR_SET_PDEATHSIG when the thread that started this process ends before the app does. Linux only.
    """
    if sys.platform == "linux":
        import fcntl
        import select

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
        if select.select([lifeline], [], [], 0)[0]:  # it was closed before this
            os._exit(1)


def stay_offline() -> None:
    """Refuse every connection from now on: no loader fetches anything."""

    def refuse(event: str, _: tuple[Any, ...]) -> None:
        if event in _NETWORK:
            raise PermissionError("Files are read without the network.")

    sys.addaudithook(refuse)


@contextmanager
def bounded(parse: ParseSettings) -> Iterator[None]:
    """Bound one huge allocation, and the time should nobody be there to kill this process."""
    if sys.platform == "win32":
        yield
        return
    import resource

    wanted = (parse.memory_mb + HEADROOM_MB) * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    signal.setitimer(signal.ITIMER_REAL, parse.timeout_seconds + _GRACE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
