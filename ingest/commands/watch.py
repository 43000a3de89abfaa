"""`python -m ingest watch FOLDER`: a base kept in step with a folder, until Ctrl-C."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ingest.commands.given import add_selection, selection_of
from ingest.commands.opening import open_pipeline
from ingest.report import FileReport
from ingest.sources import Folder, Watch
from settings import Settings
from store.database import now


def add_options(command: argparse.ArgumentParser) -> None:
    """What `watch` takes beside the base and the settings."""
    command.add_argument("folder", help="a folder")
    add_selection(command)


def watch(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Tell of every change on a line of its own (with --json as JSON), until Ctrl-C; returns how many there were of each kind.

    Raises OSError when there is no such folder, or none any more.
    """
    folder = Folder(Path(call.folder), selection_of(call), apart=settings.store.dir)
    pipeline, stores = open_pipeline(settings)
    base = stores.library.ensure_base(call.kb)
    stores.open(base)
    pipeline.recover(settings)
    tell = _tell_json if call.json else _tell
    counts: Counter[str] = Counter()
    watched = Watch(folder, pipeline=pipeline, library=stores.library, base=base, settings=settings)
    with _until_interrupted(watched.stop):
        for report in watched.run():
            tell({"source": folder.place, "status": "watching"} if report is None else report.as_json())
            if isinstance(report, FileReport):
                counts[report.status] += 1
    total = stores.open_any(stores.library.by_id(base.id)).count()
    return {"kb": base.name, "folder": folder.place, "status": "stopped", "changes": dict(counts), "chunks_total": total}


@contextmanager
def _until_interrupted(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C, or a request to end, stops; a second Ctrl-C ends what is under way, which the next start finishes."""

    def asked(*_: object) -> None:
        stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell_json(told: dict[str, Any]) -> None:
    _write(json.dumps({"time": now().isoformat(timespec="seconds"), **told}, ensure_ascii=False))


def _tell(told: dict[str, Any]) -> None:
    name, reason = told["source"], told.get("reason", "")
    chunks = f", chunks: {told['chunks']}" if told["status"] in ("indexed", "replaced") else ""
    said = f", {reason.removeprefix(f'{name}: ')}" if reason else ""
    line = f"{now().astimezone():%H:%M:%S} {name}: {told['status']}{chunks}{said}"
    _write("".join(character if character.isprintable() else "\ufffd" for character in line))


def _write(line: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(line.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()
