"""How far the command line is with its files, told on a stream beside its result."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ingest.report import FileReport, Progress

WORDS = {"load": "reading", "chunk": "splitting", "embed": "embedding", "store": "storing"}
_CLEAR_LINE = "\r\x1b[2K"
_REDRAW_SECONDS = 0.1
_LONGEST_NAME = 60


class Teller:
    """Tells of files one after the other; `count` is how many there will be.

    On a terminal the stage of the file at hand is one line, drawn again as it goes on, and each finished file leaves a line.
    Anywhere else there are only the lines of finished files, or with `quiet` nothing: the JSON that is read there has it all.
    """

    def __init__(self, count: int, *, quiet: bool, stream: TextIO | None = None) -> None:
        self._count, self._number = count, 1
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._silent = quiet and not self._live
        self._drawn = float("-inf")
        self._stage = self._line = ""

    def going_on(self, name: str, progress: Progress) -> None:
        """A file has come so far."""
        now = time.monotonic()
        if not self._live or (progress.stage == self._stage and now - self._drawn < _REDRAW_SECONDS):
            return
        self._drawn, self._stage = now, progress.stage
        how_far = f" {progress.done}/{progress.total}" if progress.total > 1 else ""
        line = f"{_CLEAR_LINE}{self._head(name)}: {WORDS[progress.stage]}{how_far}"
        if line != self._line:
            self._line = line
            self._say(line)

    def finished(self, report: FileReport) -> None:
        """A file is done."""
        chunks = f", chunks: {report.chunks}" if report.status in ("indexed", "replaced") else ""
        reason = f", {_visible(report.reason.removeprefix(f'{report.source}: '))}" if report.reason else ""
        self._say(f"{_CLEAR_LINE if self._live else ''}{self._head(report.source)}: {report.status}{chunks}{reason}\n")
        self._number, self._stage = self._number + 1, ""

    def also(self, report: FileReport) -> None:
        """What happened to a document that is none of the files."""
        reason = f", {_visible(report.reason)}" if report.reason else ""
        self.note(f"{report.source}: {report.status}{reason}")

    def note(self, text: str) -> None:
        """A line between those of the files."""
        self._say(f"{_CLEAR_LINE if self._live else ''}{_visible(text)}\n")

    def _head(self, name: str) -> str:
        visible = _visible(name)
        short = visible if len(visible) <= _LONGEST_NAME else f"{visible[: _LONGEST_NAME - 20]}…{visible[-19:]}"
        return f"[{self._number}/{self._count}] {short}"

    def _say(self, text: str) -> None:
        if not self._silent:
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()


def _visible(text: str) -> str:
    """The text on one line, without what would move the cursor."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
