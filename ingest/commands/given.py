"""What was given on the command line to read from: files, folders, web addresses and sitemaps, all in one form."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.sources import Folder, Item, Kept, LeftOut, Listing, Selection, Web
from ingest.sources.address import is_address
from ingest.sources.file import Found, found_at, item_of, place_of
from settings import Settings, cli


class Given(ABC):
    """One argument; what is in it was looked for, but not read. Of single files and pages nothing can be gone or left out."""

    count = 0
    unwanted = 0
    left_out: Sequence[LeftOut] = ()

    @abstractmethod
    def items(self, kept: Kept) -> Iterator[Item]:
        """Each document, read when its turn comes."""

    def gone(self, kept: Kept) -> list[str]:
        """The names of documents that came from there, and of which there is nothing there any more."""
        return []


@dataclass
class Files(Given):
    """The files at a path; `folder` is None for a single file."""

    files: list[Found]
    place: str
    max_bytes: int
    folder: Folder | None = None

    def __post_init__(self) -> None:
        self.count = len(self.files)
        if self.folder:
            self.unwanted, self.left_out = self.folder.unwanted, self.folder.left_out

    def items(self, kept: Kept) -> Iterator[Item]:
        """The files, each when its turn comes."""
        return (item_of(found, place=self.place, kept=kept, max_bytes=self.max_bytes) for found in self.files)

    def gone(self, kept: Kept) -> list[str]:
        """The documents whose files are not in the folder any more."""
        return self.folder.gone(kept) if self.folder else []


@dataclass
class Page(Given):
    """A web address."""

    web: Web
    address: str
    count = 1

    def items(self, kept: Kept) -> Iterator[Item]:
        """The page, each when its turn comes."""
        return self.web.items([self.address], kept)


@dataclass
class Pages(Given):
    """The pages of a sitemap."""

    listing: Listing

    def __post_init__(self) -> None:
        self.listing.look()
        self.count, self.unwanted = len(self.listing.pages) + len(self.listing.problems), self.listing.unwanted

    def items(self, kept: Kept) -> Iterator[Item]:
        """The pages, each when its turn comes."""
        return self.listing.items(kept)

    def gone(self, kept: Kept) -> list[str]:
        """The documents whose pages are not on the list any more."""
        return self.listing.gone(kept)


def given(call: argparse.Namespace, settings: Settings, web: Web) -> list[Given]:
    """What is at the paths and addresses of a call.

    Raises FileNotFoundError, OSError, LoadError for what is no address, and WrongUse where two files would replace each other.
    """
    selection = selection_of(call)
    if call.sitemap:
        no_address = next((path for path in call.paths if not is_address(path)), None)
        if no_address:
            raise cli.WrongUse(f"{no_address} is no web address, which --sitemap needs.")
        return [Pages(Listing(web, path, selection)) for path in call.paths]
    found: list[Given] = [Page(web, path) if is_address(path) else files_at(path, selection, settings) for path in call.paths]
    refuse_equal_names(found)
    return found


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
