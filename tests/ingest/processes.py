"""What tests run in processes of their own, to kill them or to have two at once.

`python -m tests.ingest.processes FOLDER COMMAND…`, on the base `test` and with the stand-in embedder; the commands are below.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ingest.jobs import Jobs
from store.library import Library
from store.queue import JobQueue
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

ROOT = Path(__file__).parents[2]


def start(folder: Path, *command: str) -> subprocess.Popen[str]:
    """Begin a process."""
    call = [sys.executable, "-m", "tests.ingest.processes", str(folder), *command]
    return subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def run(folder: Path, *command: str) -> tuple[int, str]:
    """Run a process to its end; gives its status (-9 when it was killed) and what it printed."""
    process = start(folder, *command)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output


def _die_at(owner: type, name: str) -> None:
    setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))


def _full_disk() -> None:
    """No file may grow beyond what it is: what a full disk does, for this process only."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def main() -> None:
    folder, command, *rest = sys.argv[1:]
    desk = Desk.on(Path(folder), WordEmbeddings())
    if command == "add":
        names = [f"{rest[0]}{n}.txt" for n in range(10)] + [f"both{n}.txt" for n in range(5)]
        sys.stdout.write(str([desk.add(name, f"Text of {name} and more.").status for name in names]))
    elif command == "killed before the row":
        _die_at(Library, "put")
        desk.add("a.txt", "Shipping takes five working days.")
    elif command == "full disk":
        _full_disk()
        sys.stdout.write(desk.add("a.txt", "Shipping takes five working days. " * 200).reason)
    elif command == "work":
        _work(desk, killed_at=int(rest[0]))


def _work(desk: Desk, *, killed_at: int) -> None:
    """Work the queue off; be killed in the middle of that many a file, unless it is 0."""
    jobs = Jobs(JobQueue(desk.library.engine), desk.library, desk.pipeline, desk.settings)
    put, seen = desk.library.put, []

    def counted(*args: Any, **kwargs: Any) -> None:
        seen.append(args[1].source)
        if len(seen) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        put(*args, **kwargs)

    desk.library.put = counted  # type: ignore[method-assign]
    jobs.start()
    while jobs.busy("test"):
        time.sleep(0.02)
    jobs.stop()
    sys.stdout.write(" ".join(seen))


if __name__ == "__main__":
    main()
