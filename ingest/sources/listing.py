"""The pages of a sitemap, and of the sitemaps that it leads to, as many as may be."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from ingest.errors import LoadError, UnreadableFile
from ingest.sources.address import name_of, parsed, site_of
from ingest.sources.errors import RefusedSource
from ingest.sources.item import Item
from ingest.sources.kept import Kept
from ingest.sources.selection import Selection
from ingest.sources.sitemap import Damaged, entries
from ingest.sources.web import Web


class Listing:
    """The pages that a site lists, of those that the selection wants; found out by `look`.

    `address` is that of a sitemap, of an index of sitemaps, or of the site itself, whose robots.txt or sitemap.xml is asked then.
    Patterns are held against the paths of pages. Pages of other sites than that of the address are left out.
    """

    def __init__(self, web: Web, address: str, selection: Selection | None = None) -> None:
        self._web, self._selection = web, selection or Selection()
        self._url = parsed(address)
        self.place = name_of(self._url)
        """The name of the list as the origin of its pages."""
        self.pages: dict[str, str] = {}
        """The addresses of the pages, by their names, after a look."""
        self.problems: list[Item] = []
        """What could not be had, or was left out, at the last look."""
        self.unwanted = 0
        """How many pages the selection did not want at the last look."""
        self._listed: set[str] = set()
        self._told: set[str] = set()
        self._is_whole = True

    def look(self, wanted: Callable[[], bool] = lambda: True) -> None:
        """Fetch the list, and the lists that it leads to, as long as it is `wanted`."""
        self.pages, self.problems, self.unwanted, self._listed, self._told = {}, [], 0, set(), set()
        self._is_whole = True
        waiting, seen = deque(self._first()), set[str]()
        while waiting:
            if not wanted():
                self._is_whole = False
                return
            address = waiting.popleft()
            if address in seen:
                continue
            if len(seen) >= self._web.settings.max_sitemaps:
                self._cut(_many(self.place, self._web.settings.max_sitemaps))
                break
            seen.add(address)
            waiting.extend(self._sitemap(address))
        if not self._listed and not self.problems:
            remedy = "Give another one, or add the pages one by one."
            self._cut(
                UnreadableFile(self.place, "the sitemap lists no pages", remedy=remedy, code="empty_sitemap"), skipped=False
            )

    def items(self, kept: Kept) -> Iterator[Item]:
        """What went wrong with the list, then the pages, each fetched when its turn comes."""
        yield from self.problems
        yield from self._web.items(self.pages.values(), kept, place=self.place)

    def gone(self, kept: Kept) -> list[str]:
        """The names of documents that came from this list and are not on it any more; none when it could not be read whole."""
        return [name for name in kept.names_from(self.place) if name not in self._listed] if self._is_whole else []

    def _first(self) -> list[str]:
        if self._url.path.strip("/") or self._url.query:
            return [str(self._url)]
        try:
            named = self._web.robots(str(self._url)).sitemaps
        except LoadError:  # as fetching the sitemap will tell
            named = ()
        return list(named) or [f"{site_of(self._url)}/sitemap.xml"]

    def _sitemap(self, address: str) -> list[str]:
        """Take the pages of one sitemap; returns the sitemaps that it leads to."""
        further = []
        try:
            page = self._web.fetch(address)
            for is_sitemap, location in entries(page.data if page else b"", max_bytes=self._web.max_bytes):
                if is_sitemap:
                    further.append(location)
                elif not self._take(location):
                    break
        except Damaged:
            name = name_of(parsed(address))
            remedy = "Give the address of the site's sitemap.xml, or add its pages one by one."
            reason = "this is no sitemap, or a damaged one"
            self._cut(UnreadableFile(name, reason, remedy=remedy, code="damaged_sitemap"), skipped=False)
        except LoadError as error:
            self._cut(error, skipped=False)
        return further

    def _take(self, location: str) -> bool:
        """Put a page on the list if it belongs there; False when the list is full."""
        try:
            url = parsed(location)
        except LoadError as error:
            self._tell(error)
            return True
        name = name_of(url)
        if _host(url.host) != _host(self._url.host):
            remedy = "Add it by its own address if you want it."
            self._tell(RefusedSource(name, "the page is on another site than the sitemap", remedy=remedy, code="foreign_page"))
            return True
        self._listed.add(name)
        if not self._selection.wants(url.path.strip("/")):
            self.unwanted += 1
        elif name not in self.pages and len(self.pages) >= self._web.settings.max_pages:
            self._cut(_long(self.place, self._web.settings.max_pages))
            return False
        else:
            self.pages[name] = location
        return True

    def _tell(self, error: LoadError) -> None:
        """Of a page that is left out, once; of so many as pages there may be."""
        if error.name not in self._told and len(self._told) < self._web.settings.max_pages:
            self._told.add(error.name)
            self.problems.append(Item(error.name, error=error, skipped=True))

    def _cut(self, error: LoadError, *, skipped: bool = True) -> None:
        self._is_whole = False
        if (error.name, error.code) not in [(item.name, item.error.code) for item in self.problems if item.error]:
            self.problems.append(Item(error.name, error=error, skipped=skipped))


def _host(host: str) -> str:
    return host.lower().removeprefix("www.")


def _long(name: str, most: int) -> LoadError:
    remedy = "Add parts of it with --include, or raise sources.max_pages."
    reason = f"the sitemap lists more than {most} pages; the rest is left out"
    return RefusedSource(name, reason, remedy=remedy, code="long_sitemap", count=most)


def _many(name: str, most: int) -> LoadError:
    remedy = "Add them one by one, or raise sources.max_sitemaps."
    reason = f"the index leads to more than {most} sitemaps; the rest is left out"
    return RefusedSource(name, reason, remedy=remedy, code="many_sitemaps", count=most)
