"""One page of the web: fetched within its time and size, over redirects of which each is checked as the first address was."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpcore
import httpx

from ingest.errors import LoadError, TooLarge, UnreadableFile
from ingest.sources import address
from ingest.sources.errors import UnreachableSource
from ingest.sources.inflate import Grows, gathered, inflated
from ingest.sources.transport import Deadline, PinnedTransport, TimeIsUp
from settings.sources import SourcesSettings

USER_AGENT = "Mozilla/5.0 (compatible; Glassbox/0.1; fetches pages that a person asks for)"
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MISSING, _CLOSED = frozenset({404, 410}), frozenset({401, 402, 403, 407, 451})
_LONGEST_CAUSE = 200

Check = Callable[[httpx.URL, str], None]
"""Whether an address may be fetched for the document of that name. Raises LoadError if not."""


@dataclass(frozen=True)
class Page:
    """What an address gave: its bytes, and `mark`, by which the site tells later whether they are still the same."""

    data: bytes
    mark: dict[str, Any]


class Fetcher:
    """Fetches one page after the other, each of at most `max_bytes`. Use it in a `with`; for one thread.

    `resolve` says where hosts are; it is asked once for each connection.
    """

    def __init__(self, settings: SourcesSettings, *, max_bytes: int, resolve: address.Resolve = address.system_resolve) -> None:
        self._settings, self._max_bytes, self._resolve = settings, max_bytes, resolve
        self._deadline, self._name = Deadline(), ""
        self._client = httpx.Client(
            transport=PinnedTransport(self._addresses, self._deadline),
            headers=_HEADERS,
            follow_redirects=False,
            trust_env=False,
            timeout=None,  # noqa: S113 - the deadline bounds every step
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def get(
        self, url: httpx.URL, *, name: str, known: Mapping[str, Any] | None = None, check: Check = lambda _url, _name: None
    ) -> Page | None:
        """The page at an address; None when it is as the `known` mark says. `check` is asked before every request.

        Raises LoadError, whose name is `name`: RefusedSource, UnreachableSource, TooLarge, UnreadableFile.
        """
        self._name = name
        self._client.cookies.clear()
        self._deadline.restart(self._settings.timeout_seconds)
        try:
            return self._follow(url, known or {}, check)
        except (TimeIsUp, httpcore.TimeoutException):
            seconds = self._settings.timeout_seconds
            remedy = "Try again later, or raise sources.timeout_seconds."
            reason = f"it takes more than {seconds:g} seconds"
            raise UnreachableSource(name, reason, remedy=remedy, code="page_timeout", seconds=seconds) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError, zlib.error, EOFError) as error:
            raise self._unreachable(url, error) from error

    def _follow(self, url: httpx.URL, known: Mapping[str, Any], check: Check) -> Page | None:
        most = self._settings.max_redirects
        for _ in range(most + 1):
            check(url, self._name)
            self._deadline.left()
            request = self._client.build_request("GET", url, headers=_conditions(url, known))
            answer = self._client.send(request, stream=True)
            try:
                following = answer.headers.get("Location") if answer.status_code in _REDIRECTS else None
                if following is None:
                    return self._page(url, answer, known)
            finally:
                answer.close()
            url = address.parsed(_joined(url, following), name=self._name)
        remedy = "Give the address where that ends, or raise sources.max_redirects."
        reason = f"it leads from one address to the next more than {most} times"
        raise UnreachableSource(self._name, reason, remedy=remedy, code="many_redirects", count=most)

    def _page(self, url: httpx.URL, answer: httpx.Response, known: Mapping[str, Any]) -> Page | None:
        if answer.status_code == 304 and _conditions(url, known):
            return None
        if not 200 <= answer.status_code < 300:
            raise self._refusal(answer.status_code)
        encoding = answer.headers.get("Content-Encoding", "")
        try:
            data = gathered(inflated(answer.iter_raw(), encoding), self._max_bytes)
        except Grows:
            mb = self._max_bytes // 2**20
            remedy = "Raise ingest.max_file_mb if you want it."
            raise TooLarge(self._name, f"the file has more than {mb} MB", remedy=remedy, code="too_large", mb=mb) from None
        except ValueError:
            remedy = "Save it in a browser and upload it."
            reason, code = f"the page is compressed in a way that is not read ({encoding[:40]})", "page_encoding"
            raise UnreadableFile(self._name, reason, remedy=remedy, code=code, encoding=encoding[:40]) from None
        marks = {"etag": answer.headers.get("ETag"), "last_modified": answer.headers.get("Last-Modified")}
        return Page(data, {"url": str(url)} | {key: value for key, value in marks.items() if value})

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        private = self._settings.allow_private_addresses
        return address.reachable(host, port, self._resolve, private=private, name=self._name)

    def _refusal(self, status: int) -> LoadError:
        if status in _MISSING:
            reason, code, remedy = "there is no page at this address", "page_missing", "Check the address."
        elif status in _CLOSED:
            reason, code = "the site shows this page only to people who are signed in or admitted", "page_closed"
            remedy = "Save it in a browser and upload it."
        else:
            reason, code = "the site does not answer with a page", "page_status"
            remedy = "Try again later, or open it in a browser and upload what is there."
        return UnreachableSource(self._name, f"{reason} (status {status})", remedy=remedy, code=code, status=status)

    def _unreachable(self, url: httpx.URL, error: Exception) -> LoadError:
        cause = (str(error) or type(error).__name__)[:_LONGEST_CAUSE]
        remedy = "Try again later, or open the address in a browser to see what is there."
        reason = f"{url.host} cannot be reached ({cause})"
        return UnreachableSource(self._name, reason, remedy=remedy, code="page_unreachable", host=url.host, cause=cause)


class Pauses:
    """Waits between two requests to one site, so that a person's list of pages does not weigh on it."""

    def __init__(self, seconds: float, *, sleep: Callable[[float], object] = time.sleep) -> None:
        self._seconds, self._sleep = seconds, sleep
        self._latest: dict[str, float] = {}

    def wait(self, site: str, seconds: float = 0.0) -> None:
        """Until it is that site's turn again; `seconds` are what it asks for itself."""
        due = self._latest.get(site, float("-inf")) + max(self._seconds, seconds)
        now = time.monotonic()
        if now < due:
            self._sleep(due - now)
        self._latest[site] = time.monotonic()


def _conditions(url: httpx.URL, known: Mapping[str, Any]) -> dict[str, str]:
    """What asks for a page only if it is another than the known one, which is of that very address."""
    if known.get("url") != str(url):
        return {}
    asked = {"If-None-Match": known.get("etag"), "If-Modified-Since": known.get("last_modified")}
    return {header: value for header, value in asked.items() if value}


def _joined(url: httpx.URL, following: str) -> str:
    """The address that a redirect leads to, which is checked by whoever takes it."""
    try:
        return str(url.join(following))
    except (httpx.InvalidURL, ValueError, UnicodeError):
        return following
