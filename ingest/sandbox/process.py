"""The app's side of the process that reads files: it is started when first needed, killed when it must be, and started again."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from pydantic import SecretStr

from ingest.document import LoadedDocument
from ingest.errors import LoadError
from ingest.pictures.found import FoundPictures, PicturesAsked
from ingest.sandbox import failures, wire
from ingest.sandbox.limits import resident_mb
from ingest.view.picture import PageAsked, PagePicture
from settings.ingest import IngestSettings, ParseSettings

ROOT = Path(__file__).parents[2]
TICK_SECONDS = 0.1
START_SECONDS = 120.0
_LOOK_SECONDS = 1.0 if sys.platform == "darwin" else TICK_SECONDS
_WELL_BELOW = 0.5
# What the process may know of its surroundings: no keys, no settings.
_ENVIRONMENT = frozenset(
    "PATH HOME LANG LC_ALL LC_CTYPE TMPDIR TEMP TMP SYSTEMROOT LD_LIBRARY_PATH DYLD_LIBRARY_PATH PYTHONPATH PYTHONUTF8 "
    "OMP_NUM_THREADS".split()
)

Answer = wire.Found | LoadError | BaseException | None


class Sandbox:
    """Reads files, one at a time, in a process that is started when first needed and again after it died.

    Small files stay fast, as the process stays; one that a file made large is replaced before the next.
    """

    def __init__(self, module: str = "ingest.sandbox") -> None:
        self._module = module
        self._worker: _Worker | None = None
        self._turn = threading.Lock()

    def load(
        self, source: str, data: bytes, settings: IngestSettings, password: SecretStr | None = None
    ) -> Generator[LoadedDocument | None, None, None]:
        """None about ten times a second, then the document. To close the iterator before that kills the process.

        Raises LoadError: what the loaders say, or that the file took too long, too much memory, or the process with it.
        """
        yield from self._in_turn(wire.Request(source, data, settings, password))

    def read(self, source: str, data: bytes, settings: IngestSettings) -> LoadedDocument:
        """The document, without a way to stop. Raises LoadError."""
        return next(document for document in self.load(source, data, settings) if document is not None)

    def picture(
        self, source: str, data: bytes, settings: IngestSettings, page: PageAsked, password: SecretStr | None = None
    ) -> PagePicture:
        """A page of a file as it looks, in the bounds that hold for reading it. Raises LoadError."""
        asked = wire.Request(source, data, settings, password, page)
        found: PagePicture = next(picture for picture in self._in_turn(asked) if picture is not None)
        return found

    def pictures(
        self, source: str, data: bytes, settings: IngestSettings, asked: PicturesAsked, password: SecretStr | None = None
    ) -> FoundPictures:
        """The pictures in a file, in the bounds that hold for reading it. Raises LoadError."""
        request = wire.Request(source, data, settings, password, pictures=asked)
        found: FoundPictures = next(pictures for pictures in self._in_turn(request) if pictures is not None)
        return found

    def close(self) -> None:
        """End the process; the next file starts one again."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    @property
    def pid(self) -> int | None:
        """The process, if there is one."""
        return self._worker.pid if self._worker else None

    def _in_turn(self, request: wire.Request) -> Generator[Any, None, None]:
        """What was asked for, a document, a page or pictures (see wire.unpack); None while it is waited for."""
        while not self._turn.acquire(timeout=TICK_SECONDS):
            yield None
        try:
            yield from self._load(request)
        finally:
            self._turn.release()

    def _load(self, request: wire.Request) -> Iterator[wire.Found | None]:
        try:
            yield from self._attempt(request)
        except _NotBegun:  # the process had died, or was killed, before it saw the file: that is not the file's fault
            try:
                yield from self._attempt(request)
            except _NotBegun as error:
                raise failures.not_started(request.name) from error

    def _attempt(self, request: wire.Request) -> Iterator[wire.Found | None]:
        if self._worker is None or not self._worker.alive:
            self.close()
            self._worker = _Worker(self._module)
        worker, parse, is_well = self._worker, request.settings.parse, False
        answers = worker.ask(request)
        try:
            yield from _until(answers, START_SECONDS, worker, begun=True, parse=parse, name=request.name)
            for found in _until(answers, parse.timeout_seconds, worker, begun=False, parse=parse, name=request.name):
                is_well = found is not None
                yield found
        except _Refused as error:
            is_well = True
            raise error.reason from None
        finally:
            if not is_well or resident_mb(worker.pid) > _WELL_BELOW * parse.memory_mb:
                self.close()


class _NotBegun(Exception):
    """The process ended before it had taken the file in."""


class _Refused(Exception):
    """The process is well; the file is not."""

    def __init__(self, reason: LoadError) -> None:
        self.reason = reason


class _Worker:
    """A running process."""

    def __init__(self, module: str) -> None:
        lifeline = os.pipe() if os.name == "posix" else None
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *([str(lifeline[0])] if lifeline else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if name in _ENVIRONMENT},
            pass_fds=lifeline[:1] if lifeline else (),
        )
        if lifeline:
            os.close(lifeline[0])
        self.end = weakref.finalize(self, _end, self._process, lifeline[1] if lifeline else None)
        """Kill it; happens by itself when the last user is gone, and when the app ends."""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self.end.alive and self._process.poll() is None

    def exit_status(self) -> int | None:
        """The status of a process that is about to end, negative for a signal; None when it does not end."""
        try:
            return self._process.wait(5)
        except subprocess.TimeoutExpired:
            return None

    def ask(self, request: wire.Request) -> queue.Queue[Answer]:
        """Send a file and gather what comes back: None when it was taken in, then a document or an error."""
        answers: queue.Queue[Answer] = queue.Queue()
        pipes = cast("BinaryIO", self._process.stdin), cast("BinaryIO", self._process.stdout)
        threading.Thread(target=_exchange, args=(*pipes, request, answers), daemon=True, name="reading").start()
        return answers


def _exchange(asked: BinaryIO, replies: BinaryIO, request: wire.Request, answers: queue.Queue[Answer]) -> None:
    """In a thread of its own, since a process that hangs neither takes nor gives; to kill it ends this as well."""
    try:
        wire.write_request(asked, request)
        if wire.read(replies, 0)[0] != wire.BEGUN:
            raise wire.BadReply("not begun")
        answers.put(None)
        letter, body = wire.read(replies, request.limit)
        answers.put(wire.unpack(letter, body, request.name, asked=request.asked))
    except (OSError, EOFError, ValueError) as error:  # ValueError: bad replies, and pipes that were closed meanwhile
        answers.put(error)


def _until(
    answers: queue.Queue[Answer], seconds: float, worker: _Worker, *, begun: bool, parse: ParseSettings, name: str
) -> Iterator[wire.Found | None]:
    """Wait, with a None each tick, for the next answer: that the file is taken in (`begun`), or its document, which is given."""
    now = time.monotonic()
    deadline, look = now + seconds, now
    while True:
        try:
            answer = answers.get(timeout=TICK_SECONDS)
        except queue.Empty:
            now = time.monotonic()
            if now > deadline:
                raise _NotBegun if begun else failures.timed_out(name, parse) from None
            if not begun and now - look >= _LOOK_SECONDS:
                look = now
                if resident_mb(worker.pid) > parse.memory_mb:
                    raise failures.out_of_memory(name, parse) from None
            yield None
            continue
        if begun and answer is not None:
            raise _NotBegun
        if isinstance(answer, LoadError):
            raise _Refused(answer)
        if isinstance(answer, BaseException):
            status = None if isinstance(answer, wire.BadReply) else worker.exit_status()
            raise failures.crashed(name, status, parse, answer)
        if answer is not None:
            yield answer
        return


def _end(process: subprocess.Popen[bytes], lifeline: int | None) -> None:
    process.kill()
    process.wait()
    if lifeline is not None:
        os.close(lifeline)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # bytes that it had not taken in
                pipe.close()
