"""`python -m tests.ingest.hostile_reader`: a reader of files that a file's name can make fail, as a library may."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from ingest.document import LoadedDocument, PageSpan
from ingest.sandbox.__main__ import load_file, main
from ingest.sandbox.wire import Found, Request


def hang(_: Request) -> NoReturn:
    while True:
        time.sleep(1)


def eat(_: Request) -> NoReturn:
    eaten = []
    while True:
        eaten.append(b"x" * (16 * 2**20))
        time.sleep(0.005)


def connect(request: Request) -> None:
    socket.create_connection(("127.0.0.1", int(request.data)), timeout=1)


def fail(_: Request) -> None:
    raise RuntimeError("not foreseen")


def say(_: Request) -> None:
    sys.stdout.write("noise\n" * 10_000)
    os.write(1, b"noise")


ACTS: dict[str, Callable[[Request], object]] = {
    "segfault": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "killed": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda _: os._exit(3),
    "hang": hang,
    "hold": lambda _: pow(10**200_000, 10**200_000),  # as a library that never lets go of the interpreter: a step that never ends
    "eat": eat,
    "allocate": lambda _: len(bytes(1 << 45)),
    "raise": fail,
    "recurse": lambda request: load(request),
    "print": say,
    "connect": connect,
    "environment": lambda request: LoadedDocument(request.name, "\n".join(sorted(os.environ))),
    "modules": lambda request: LoadedDocument(request.name, "\n".join(sorted(sys.modules))),
    "lie": lambda _: LoadedDocument("../other.txt", "abc", pages=(PageSpan(1, 0, 999),)),
    "other": lambda _: LoadedDocument("../other.txt", "abc"),
}


def load(request: Request) -> Found:
    """What the file's name says, or the file."""
    act = ACTS.get(Path(request.name).stem)
    said = act(request) if act else None
    return said if isinstance(said, LoadedDocument) else load_file(request)


if __name__ == "__main__":
    main(load)
