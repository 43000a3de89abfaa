"""`python -m ingest add`: files and folders into a base."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.commands.given import Given, add_selection, given, selection_of
from ingest.commands.opening import open_pipeline
from ingest.progress import Teller
from ingest.report import FileReport
from ingest.sources import CHANGING, Intake, Item, Kept
from settings import Settings
from store.bases import Base
from store.library import checked_tags
from store.stores import Stores


def add_options(command: argparse.ArgumentParser) -> None:
    """What `add` takes beside the base and the settings."""
    command.add_argument("paths", nargs="+", help="a file or a folder")
    command.add_argument(
        "--tag", action="append", default=[], metavar="TAG", help="a tag of the document, beside those it has; may be repeated"
    )
    command.add_argument("--prune", action="store_true", help="take documents out whose files are gone from the folder")
    add_selection(command)


def add(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Add what is new or changed; returns the report of each document, and what of a folder was left out by default."""
    pipeline, stores = open_pipeline(settings)
    places, tags = given(call.paths, selection_of(call), settings), checked_tags(call.tag)
    base = stores.library.ensure_base(call.kb)
    stores.open(base)
    pipeline.recover(settings)
    teller, reports = Teller(sum(len(place.files) for place in places), quiet=call.json), []
    _tell_left_out(teller, places)
    kept = Kept(stores.library, base)
    intake = Intake(pipeline, base, kept, settings)
    for name, event in intake.take(_items(places, kept, settings)):
        if isinstance(event, FileReport):
            if event.status not in ("failed", "skipped"):
                _add_tags(stores, base, name, tags)
            teller.finished(event)
            reports.append(event)
        else:
            teller.going_on(name, event)
    if call.prune:
        for place in places:
            for report in intake.remove(place.folder.gone(kept) if place.folder else ()):
                teller.also(report)
                reports.append(report)
    if any(report.status in CHANGING for report in reports):
        pipeline.finish(base)
    return _result(stores, base, reports, places)


def _result(stores: Stores, base: Base, reports: Sequence[FileReport], places: Sequence[Given]) -> dict[str, Any]:
    now = stores.library.by_id(base.id)
    return {
        "kb": now.name,
        "files": [report.as_json() for report in reports],
        "chunks_total": stores.open(now).count(),
        "left_out": [{"source": left.name, "why": left.why} for place in places for left in place.left_out],
        "not_wanted": sum(place.folder.unwanted for place in places if place.folder),
    }


def _items(places: Sequence[Given], kept: Kept, settings: Settings) -> Iterator[Item]:
    for place in places:
        yield from place.items(kept, settings.ingest.max_file_mb * 2**20)


def _tell_left_out(teller: Teller, places: Sequence[Given]) -> None:
    for place in places:
        for left in place.left_out:
            teller.note(f"{left.name}: left out ({left.why.replace('_', ' ')})")


def _add_tags(stores: Stores, base: Base, name: str, tags: Sequence[str]) -> None:
    """Tags beside those that the document has, if it is there."""
    document = stores.library.find(base, name) if tags else None
    if document:
        stores.library.set_tags(document.doc_id, [*document.tags, *tags])
