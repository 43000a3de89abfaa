"""`python -m ingest off | on | correct | chunks`: what of a document is found, and with which text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ingest.commands.opening import open_pipeline
from ingest.edits import chunks, correct, revert, switch
from ingest.loaders.encoding import decode_file
from settings import Settings, cli
from store.library import GONE


def add_switch_options(command: argparse.ArgumentParser) -> None:
    """What `off` and `on` take beside the base and the settings."""
    command.add_argument("names", nargs="+", metavar="NAME", help="a document")
    command.add_argument(
        "--chunk", nargs="+", action="extend", default=[], metavar="ID", help="only these chunks of it (see: chunks NAME)"
    )


def add_correct_options(command: argparse.ArgumentParser) -> None:
    """What `correct` takes beside the base and the settings."""
    command.add_argument("chunk_id", metavar="CHUNK_ID", help="a chunk (see: chunks NAME)")
    text = command.add_mutually_exclusive_group(required=True)
    text.add_argument("--text", help="what it should say")
    text.add_argument("--file", metavar="FILE", help="a file that holds what it should say; - is the standard input")
    text.add_argument("--revert", action="store_true", help="take its corrections back")


def add_chunks_options(command: argparse.ArgumentParser) -> None:
    """What `chunks` takes beside the base and the settings."""
    command.add_argument("name", metavar="NAME", help="a document")


OPTIONS = {
    "off": add_switch_options,
    "on": add_switch_options,
    "chunks": add_chunks_options,
    "correct": add_correct_options,
}


def off(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Switch documents, or chunks of them, off."""
    return _switch(call, settings, on=False)


def on(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Switch documents, or chunks of them, on."""
    return _switch(call, settings, on=True)


def correct_chunk(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Correct a chunk, or take that back; returns the chunk as it is then."""
    text = call.text if call.file is None else _read(call.file)
    pipeline, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    done = revert(stores, base, call.chunk_id, settings) if call.revert else correct(stores, base, call.chunk_id, text, settings)
    pipeline.finish(base)
    [shown] = [chunk for chunk in chunks(stores, base, done.source).as_json()["chunks"] if chunk["id"] == call.chunk_id]
    return {"kb": base.name, **done.as_json(), "chunk": shown}


def list_chunks(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """The chunks of a document."""
    _, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    return {"kb": base.name, **chunks(stores, base, call.name).as_json()}


def _switch(call: argparse.Namespace, settings: Settings, *, on: bool) -> dict[str, Any]:
    pipeline, stores = open_pipeline(settings)
    base = stores.library.base(call.kb)
    found = {name: stores.library.find(base, name) for name in dict.fromkeys(call.names)}
    held = {name: _ids(stores.open_any(base).chunks_of(d.doc_id)) for name, d in found.items() if d} if call.chunk else {}
    unknown = [key for key in call.chunk if not any(key in ids for ids in held.values())]
    if unknown:
        raise cli.WrongUse(f"None of these documents has a chunk {unknown[0]}. `python -m ingest chunks NAME` lists them.")
    files: list[dict[str, Any]] = []
    for name, document in found.items():
        if document is None:
            missing = {"status": "failed", "reason": f"{name}: {GONE}", "code": "no_such_document", "params": {}}
            files.append({"source": name, **missing})
            continue
        own = [key for key in call.chunk if key in held[name]]
        if own or not call.chunk:
            done = switch(stores, base, name, on=on, chunk_ids=own)
            files.append(done.as_json() | {"status": "on" if on else "off", "reason": "", "code": None, "params": {}})
    pipeline.finish(base)
    return {"kb": base.name, "files": files}


def _ids(held: Any) -> set[str]:
    return {chunk.id for chunk in held}


def _read(place: str) -> str:
    data = sys.stdin.buffer.read() if place == "-" else Path(place).read_bytes()
    return decode_file(place, data).text
