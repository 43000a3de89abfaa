"""Pages of the web as documents: single ones, and those that a sitemap lists."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Self

import httpx

from ingest.errors import LoadError
from ingest.sources.address import Resolve, name_of, parsed, site_of, system_resolve
from ingest.sources.fetch import Fetcher, Page, Pauses
from ingest.sources.item import Item
from ingest.sources.kept import Kept
from ingest.sources.robots import LARGEST, Robots, SiteRules
from settings import Settings
from store.origins import Origin

PLACE = "web"
"""The origin of pages that were named one by one; those of a sitemap have its address."""


class Web:
    """The web as a source. Use it in a `with`; for one thread.

    What the settings (`sources`, `ingest.max_file_mb`) do not allow is not fetched, and is an item with its error. `resolve` says
    where hosts are; `sleep` waits between two requests to one site.
    """

    def __init__(
        self, settings: Settings, *, resolve: Resolve = system_resolve, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self.settings = settings.sources
        self.max_bytes = settings.ingest.max_file_mb * 2**20
        self._pages = Fetcher(self.settings, max_bytes=self.max_bytes, resolve=resolve)
        self._robots = Fetcher(self.settings, max_bytes=LARGEST, resolve=resolve)
        self._rules, self._pauses = SiteRules(self._robots), Pauses(self.settings.pause_seconds, sleep=sleep)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._pages.close()
        self._robots.close()

    def items(self, addresses: Iterable[str], kept: Kept, *, place: str = PLACE) -> Iterator[Item]:
        """Each page under its address as its name, fetched when its turn comes, unless the site says that it is as it was."""
        for address in addresses:
            yield self._item(address, kept, place)

    def fetch(self, address: str, known: dict[str, Any] | None = None) -> Page | None:
        """What is at an address; None when it is as the `known` mark says. Raises LoadError."""
        url = parsed(address)
        name = name_of(url)
        self._pauses.wait(site_of(url), self._delay(url, name))
        return self._pages.get(url, name=name, known=known, check=self._check)

    def robots(self, address: str) -> Robots:
        """What the site of an address asks of programs, whether it is respected or not. Raises LoadError."""
        url = parsed(address)
        return self._rules.of(url, name_of(url))

    def _item(self, address: str, kept: Kept, place: str) -> Item:
        try:
            name = name_of(parsed(address))
            before = kept.origin(name)
            page = self.fetch(address, before.mark if before else None)
        except LoadError as error:
            return Item(error.name, error=error)
        if page is None:
            return Item(name, unchanged=True)
        return Item(name, page.data, origin=Origin(name, place, hashlib.sha256(page.data).hexdigest(), page.mark))

    def _delay(self, url: httpx.URL, name: str) -> float:
        return self._rules.of(url, name).delay if self.settings.respect_robots else 0.0

    def _check(self, url: httpx.URL, name: str) -> None:
        if self.settings.respect_robots:
            self._rules.check(url, name)
