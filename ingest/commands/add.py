"""`python -m ingest add`: files, folders, web pages and sitemaps into a base."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from getpass import getpass
from typing import Any

from pydantic import SecretStr

from ingest.commands.given import add_selection, given
from ingest.commands.opening import open_pipeline
from ingest.progress import Teller
from ingest.report import FileReport
from ingest.sources import CHANGING, Intake, Kept, Web
from ingest.sources.places import Given
from settings import Settings
from store.bases import Base
from store.library import checked_tags
from store.stores import Stores


def add_options(command: argparse.ArgumentParser) -> None:
    """What `add` takes beside the base and the settings."""
    command.add_argument("paths", nargs="+", metavar="paths", help="a file, a folder, or a web address")
    command.add_argument(
        "--tag", action="append", default=[], metavar="TAG", help="a tag of the document, beside those it has; may be repeated"
    )
    command.add_argument("--prune", action="store_true", help="take documents out that are gone from the folder or sitemap")
    command.add_argument("--sitemap", action="store_true", help="the addresses are those of sitemaps, or of sites that have one")
    command.add_argument("--password", help="opens encrypted PDF and zip files; it is not stored (others may see a command line)")
    command.add_argument("--ask-password", action="store_true", help="ask for that password instead, without showing it")
    add_selection(command)


def add(call: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Add what is new or changed; returns the report of each document, and what of a folder was left out by default."""
    pipeline, stores = open_pipeline(settings)
    tags = checked_tags(call.tag)
    with Web(settings) as web:
        places = given(call, settings, web)
        base = stores.library.ensure_base(call.kb)
        stores.open(base)
        pipeline.recover(settings)
        teller, reports = Teller(sum(place.count for place in places), quiet=call.json), []
        _tell_left_out(teller, places)
        kept = Kept(stores.library, base)
        intake = Intake(pipeline, base, kept, settings, password=_password_of(call))
        for name, event in intake.take(item for place in places for item in place.items(kept)):
            if isinstance(event, FileReport):
                if event.status not in ("failed", "skipped"):
                    _add_tags(stores, base, name, tags)
                teller.finished(event)
                reports.append(event)
            else:
                teller.going_on(name, event)
        for report in intake.remove(name for place in places if call.prune for name in place.gone(kept)):
            teller.also(report)
            reports.append(report)
    if any(report.status in CHANGING for report in reports):
        pipeline.finish(base)
    return _result(stores, base, reports, places)


def _password_of(call: argparse.Namespace) -> SecretStr | None:
    entered = getpass("Password of encrypted files: ") if call.ask_password else call.password
    return SecretStr(entered) if entered else None


def _result(stores: Stores, base: Base, reports: Sequence[FileReport], places: Sequence[Given]) -> dict[str, Any]:
    now = stores.library.by_id(base.id)
    return {
        "kb": now.name,
        "files": [report.as_json() for report in reports],
        "chunks_total": stores.open(now).count(),
        "left_out": [{"source": left.name, "why": left.why} for place in places for left in place.left_out],
        "not_wanted": sum(place.unwanted for place in places),
    }


def _tell_left_out(teller: Teller, places: Sequence[Given]) -> None:
    for place in places:
        for left in place.left_out:
            teller.note(f"{left.name}: left out ({left.why.replace('_', ' ')})")


def _add_tags(stores: Stores, base: Base, name: str, tags: Sequence[str]) -> None:
    """Tags beside those that the document has, if it is there."""
    document = stores.library.find(base, name) if tags else None
    if document:
        stores.library.set_tags(document.doc_id, [*document.tags, *tags])
