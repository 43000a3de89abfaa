"""What there is to read at a place: the files of a folder, a page, the pages of a sitemap, all in one form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.sources.file import Found, item_of
from ingest.sources.folder import Folder
from ingest.sources.item import Item, LeftOut
from ingest.sources.kept import Kept
from ingest.sources.listing import Listing
from ingest.sources.web import Web


class Given(ABC):
    """One place; what is in it was looked for, but not read. Of single files and pages nothing can be gone or left out."""

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
    """The pages of a sitemap, once that was looked at."""

    listing: Listing

    def __post_init__(self) -> None:
        self.count, self.unwanted = len(self.listing.pages) + len(self.listing.problems), self.listing.unwanted

    def items(self, kept: Kept) -> Iterator[Item]:
        """The pages, each when its turn comes."""
        return self.listing.items(kept)

    def gone(self, kept: Kept) -> list[str]:
        """The documents whose pages are not on the list any more."""
        return self.listing.gone(kept)
