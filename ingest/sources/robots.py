"""What a site's robots.txt asks of programs (RFC 9309): which pages to leave, how long to pause, and where its sitemaps are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

import httpx

from ingest.errors import LoadError
from ingest.sources.address import site_of
from ingest.sources.errors import RefusedSource, UnreachableSource, about
from ingest.sources.fetch import Fetcher

AGENT = "glassbox"
LARGEST = 2 * 2**20
LONGEST_DELAY = 60.0
_TOKEN = re.compile(r"\s*([A-Za-z_-]+|\*)")
_CODE = re.compile(r"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Robots:
    """The rules for one program, as (path pattern, whether it allows); the longest that matches counts. `delay` is in seconds."""

    rules: tuple[tuple[str, bool], ...] = ()
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, agent: str = AGENT) -> Robots:
        """Those of a robots.txt, of the groups that name the program, or else of those for all (*)."""
        groups: dict[str, list[tuple[str, str]]] = {}
        sitemaps, named, in_rules = [], list[str](), True
        for key, value in _lines(text):
            if key == "sitemap":
                sitemaps.append(value)
            elif key == "user-agent":
                token = _TOKEN.match(value)
                named = [*([] if in_rules else named), *([token[1].lower()] if token else [])]
                in_rules = False
                for name in named:
                    groups.setdefault(name, [])
            elif key in ("allow", "disallow", "crawl-delay"):
                in_rules = True
                for name in named:
                    groups[name].append((key, value))
        return cls._from(groups.get(agent, groups.get("*", [])), sitemaps)

    @classmethod
    def _from(cls, lines: Iterable[tuple[str, str]], sitemaps: Iterable[str]) -> Robots:
        delays = [float(value) for key, value in lines if key == "crawl-delay" and re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value)]
        rules = tuple((_normal(value), key == "allow") for key, value in lines if key != "crawl-delay" and value)
        return cls(rules, min(max(delays, default=0.0), LONGEST_DELAY), tuple(sitemaps))

    def allows(self, path: str) -> bool:
        """Whether the path of an address, with its query, may be fetched."""
        normal = _normal(path)
        matching = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches(pattern, normal)]
        return max(matching, default=(0, True))[1]


class SiteRules:
    """The robots.txt of sites, each fetched once, as pages are fetched."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._known: dict[str, Robots | LoadError] = {}

    def check(self, url: httpx.URL, name: str) -> None:
        """Raises RefusedSource when the site asks not to fetch the page, and LoadError when that cannot be found out."""
        if not self.of(url, name).allows(url.raw_path.decode("ascii")):
            remedy = "Save it in a browser and upload it, or set sources.respect_robots to false if you may."
            reason = "the robots.txt of the site asks programs not to fetch this page"
            raise RefusedSource(name, reason, remedy=remedy, code="robots_forbid")

    def of(self, url: httpx.URL, name: str) -> Robots:
        """The rules of the address's site. Raises LoadError."""
        site = site_of(url)
        if site not in self._known:
            self._known[site] = self._fetched(site, name)
        known = self._known[site]
        if isinstance(known, LoadError):
            raise about(known, name)
        return known

    def _fetched(self, site: str, name: str) -> Robots | LoadError:
        try:
            page = self._fetcher.get(httpx.URL(f"{site}/robots.txt"), name=name)
        except UnreachableSource as error:
            status = error.params.get("status", 0)
            if 400 <= status < 500 and status != 429:  # there is none (RFC 9309, 2.3.1.3)
                return Robots()
            if status or error.code == "many_redirects":
                return _unknown(name, error)
            return error  # the site itself is not there
        except LoadError as error:
            return error if isinstance(error, RefusedSource) else _unknown(name, error)
        return Robots.of(page.data.decode("utf-8-sig", "replace")) if page else Robots()


def _unknown(name: str, error: LoadError) -> LoadError:
    remedy = "Try again later."
    reason = f"the robots.txt of the site cannot be read ({error.reason}), so that nobody knows whether the page may be fetched"
    return UnreachableSource(name, reason, remedy=remedy, code="robots_unreachable", cause=error.reason)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _normal(path: str) -> str:
    """One spelling for all of a path: letters of any script as codes, codes of plain characters as these."""
    quoted = quote(path, safe="/%*$?=&+,;:@!'()~#[]")
    return _CODE.sub(_plain, quoted)


def _plain(code: re.Match[str]) -> str:
    character = chr(int(code[1], 16))
    return character if character.isascii() and character.isalnum() else code[0].upper()


def _matches(pattern: str, path: str) -> bool:
    """`*` stands for anything, `$` for the end; in steps of the path's length, whatever the pattern."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    for number, part in enumerate(rest, start=1):
        if anchored and number == len(rest):
            return path.endswith(part) and len(path) - len(part) >= place
        found = path.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return not anchored or place == len(path)
