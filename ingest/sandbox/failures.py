"""What can happen to a file while it is read, beside what the loaders say of it."""

from __future__ import annotations

import signal
import traceback
from pathlib import PurePath

from ingest.errors import LoadError, TooLarge, UnreadableFile
from settings.ingest import ParseSettings

_LONGEST_CAUSE = 300
_SAVE_AGAIN = "Open it in the program that made it, save it again and upload that."


def timed_out(name: str, parse: ParseSettings) -> TooLarge:
    """It takes longer than it may."""
    return TooLarge(
        name,
        f"reading it takes more than {parse.timeout_seconds:g} seconds",
        remedy="Split it, or raise ingest.parse.timeout_seconds.",
        code="parse_timeout",
        seconds=parse.timeout_seconds,
    )


def out_of_memory(name: str, parse: ParseSettings) -> TooLarge:
    """It needs more memory than it may have, or than there is."""
    return TooLarge(
        name,
        f"reading it takes more than {parse.memory_mb} MB of memory, or more than there is",
        remedy="Split it, or raise ingest.parse.memory_mb.",
        code="parse_memory",
        mb=parse.memory_mb,
    )


def too_much_text(name: str, parse: ParseSettings) -> TooLarge:
    """It holds more text than it may grow to."""
    return TooLarge(
        name,
        f"it holds more than {parse.max_expanded_mb} MB of text",
        remedy="Split it, or raise ingest.parse.max_expanded_mb.",
        code="parse_text",
        mb=parse.max_expanded_mb,
    )


def unforeseen(name: str, error: Exception) -> UnreadableFile:
    """A loader raised what is no LoadError."""
    where = traceback.extract_tb(error.__traceback__)[-1:]  # of what no loader foresaw, the place must not be lost
    place = "".join(f" at {PurePath(frame.filename).name}:{frame.lineno}" for frame in where)
    cause = f"{type(error).__name__}: {error}"[:_LONGEST_CAUSE] + place
    return UnreadableFile(name, f"its reader failed ({cause})", remedy=_SAVE_AGAIN, code="parse_failed", cause=cause)


def crashed(name: str, status: int | None, parse: ParseSettings, error: BaseException) -> LoadError:
    """The process ended, or said what it should not; the kernel's own SIGKILL means that there was no memory left."""
    if status is not None and -status == getattr(signal, "SIGKILL", None):
        return out_of_memory(name, parse)
    cause = f"{type(error).__name__}: {error}"[:_LONGEST_CAUSE] if status is None else _named(status)
    reason, remedy = f"its reader crashed on it ({cause})", f"It may be damaged. {_SAVE_AGAIN}"
    return UnreadableFile(name, reason, remedy=remedy, code="parse_crash", cause=cause)


def not_started(name: str) -> LoadError:
    """There is no process to read it."""
    return LoadError(
        name,
        "the process that reads files could not be started",
        remedy="Close other programs if memory is short, check the installation, then try again.",
        code="parse_start",
    )


def _named(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit status {status}"
