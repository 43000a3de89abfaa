"""What a person asks to be read: web pages, the pages of a sitemap, a folder; it is looked at later, by whoever reads it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingest.sources.address import without_user
from ingest.sources.allowed import allowed_folder
from ingest.sources.file import unreadable
from ingest.sources.folder import Folder
from ingest.sources.listing import Listing
from ingest.sources.places import Files, Given, Page, Pages
from ingest.sources.selection import Selection
from ingest.sources.web import Web
from settings import Settings

EVERYTHING = Selection()


class Asked(ABC):
    """A source, and whether documents are to be taken out that are gone from it (`prune`)."""

    prune: bool = False

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What a person calls it: paths or addresses, without what is secret in them."""

    @abstractmethod
    def look(self, web: Web, settings: Settings, wanted: Callable[[], bool]) -> list[Given]:
        """What is there now, as far as it is looked at while it is `wanted`. Raises LoadError."""


@dataclass(frozen=True)
class AskedPages(Asked):
    """Web pages by their addresses."""

    addresses: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The addresses."""
        return tuple(map(without_user, self.addresses))

    def look(self, web: Web, settings: Settings, wanted: Callable[[], bool]) -> list[Given]:
        """The pages, of which none is fetched yet."""
        return [Page(web, address) for address in self.addresses]


@dataclass(frozen=True)
class AskedSitemap(Asked):
    """The pages that a sitemap lists, of those that the selection wants."""

    address: str
    selection: Selection = EVERYTHING
    prune: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The address."""
        return (without_user(self.address),)

    def look(self, web: Web, settings: Settings, wanted: Callable[[], bool]) -> list[Given]:
        """The pages that are listed now."""
        listing = Listing(web, self.address, self.selection)
        listing.look(wanted)
        return [Pages(listing)]


@dataclass(frozen=True)
class AskedFolder(Asked):
    """The files of an allowed folder that the selection wants."""

    path: Path
    selection: Selection = EVERYTHING
    prune: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The path."""
        return (str(self.path),)

    def look(self, web: Web, settings: Settings, wanted: Callable[[], bool]) -> list[Given]:
        """The files that are there now."""
        place = allowed_folder(str(self.path), settings)  # once more: a link may have been put in its place
        try:
            folder = Folder(place, self.selection, apart=settings.store.dir)
        except OSError as error:
            raise unreadable(str(self.path), error) from error
        return [Files(folder.look(), folder.place, settings.ingest.max_file_mb * 2**20, folder)]
