"""What was given on the command line to read from: files, folders, web addresses and sitemaps, all in one form."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ingest.sources import Folder, Listing, Selection, Web
from ingest.sources.address import is_address
from ingest.sources.file import found_at, place_of
from ingest.sources.places import Files, Given, Page, Pages
from settings import Settings, cli


def given(call: argparse.Namespace, settings: Settings, web: Web) -> list[Given]:
    """What is at the paths and addresses of a call.

    Raises FileNotFoundError, OSError, LoadError for what is no address, and WrongUse where two files would replace each other.
    """
    selection = selection_of(call)
    if call.sitemap:
        no_address = next((path for path in call.paths if not is_address(path)), None)
        if no_address:
            raise cli.WrongUse(f"{no_address} is no web address, which --sitemap needs.")
        return [_listed(Listing(web, path, selection)) for path in call.paths]
    found: list[Given] = [Page(web, path) if is_address(path) else files_at(path, selection, settings) for path in call.paths]
    refuse_equal_names(found)
    return found


def _listed(listing: Listing) -> Pages:
    listing.look()
    return Pages(listing)


def selection_of(call: argparse.Namespace) -> Selection:
    """What --include, --exclude and --hidden say."""
    return Selection(tuple(call.include), tuple(call.exclude), call.hidden)


def add_selection(command: argparse.ArgumentParser) -> None:
    """The options that choose files of a folder, or pages of a sitemap."""
    for option, what in (("--include", "only these files of folders"), ("--exclude", "not these files or folders")):
        pattern = "such as '*.md', 'docs/**/*.txt' or 'drafts'; may be repeated"
        command.add_argument(option, action="append", default=[], metavar="PATTERN", help=f"{what}, {pattern}")
    command.add_argument("--hidden", action="store_true", help="files and folders whose names begin with a dot, too")


def files_at(path: str, selection: Selection, settings: Settings) -> Files:
    """The file at a path, or those in the folder there. Raises FileNotFoundError, OSError."""
    place, max_bytes = Path(path), settings.ingest.max_file_mb * 2**20
    if place.is_dir():
        folder = Folder(place, selection, apart=settings.store.dir)
        return Files(folder.look(), folder.place, max_bytes, folder)
    if not place.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    return Files([found_at(place, place.name)], place_of(place.parent), max_bytes)


def refuse_equal_names(places: Sequence[Given]) -> None:
    """Two files of one name would replace each other. Raises WrongUse."""
    seen: dict[str, Path] = {}
    for found in (found for place in places if isinstance(place, Files) for found in place.files):
        first = seen.setdefault(found.name, found.path)
        if first != found.path and not found.error:
            raise cli.WrongUse(
                f"{first} and {found.path} would both be {found.name}. Give the folder above both, or add them to two bases."
            )
