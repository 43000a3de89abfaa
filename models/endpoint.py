"""An OpenAI-compatible endpoint: how long it may keep us waiting, when a call is tried again, and what its failures mean."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx2
import openai
from pydantic import SecretStr

from models import redirects
from models.errors import ModelError, ModelUnavailable
from models.openai_errors import explain, timed_out
from models.stopping import StoppableTransport, current

OPENAI_URL = "https://api.openai.com/v1"
ATTEMPTS = 3
FIRST_PAUSE = 0.5
"""Seconds before the second attempt; twice as many before the third."""
_T = TypeVar("_T")

_MALFORMED = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""What langchain-openai and openai raise, beside OpenAIError, for an answer that is no JSON, JSON of another shape, or too deeply
nested JSON."""


def place_of(url: str) -> str:
    """An address for messages, without a user name or password in it; also of one that is none, such as "http://["."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


@dataclass(frozen=True)
class Endpoint:
    """Where a model is and how to call it. `what` names the kind of model in messages; an empty `base_url` is OpenAI itself."""

    what: str
    model: str
    base_url: str
    key: SecretStr
    timeout_seconds: float
    variable: str = ""
    """The environment variable that its key comes from, for messages."""

    def with_key(self, key: SecretStr) -> Self:
        """The same endpoint with another key."""
        return replace(self, key=key)

    def is_at(self, base_url: str) -> bool:
        """Whether an address (empty: OpenAI itself) is on the same server: scheme, host and port."""
        here, there = urlsplit(self.url), urlsplit(base_url or OPENAI_URL)
        return (here.scheme, here.hostname, here.port) == (there.scheme, there.hostname, there.port)

    @property
    def url(self) -> str:
        """The address that is called, never empty: else the client would look for one in the environment."""
        return self.base_url or OPENAI_URL

    @property
    def is_openai(self) -> bool:
        """Whether OpenAI or Azure serves it, which know parameters that others do not, and the other way round."""
        host = urlsplit(self.url).hostname or ""
        return host.endswith((".openai.com", ".openai.azure.com"))

    @property
    def place(self) -> str:
        """The address for messages, without a user name or password in it; also one that is none, such as "http://["."""
        return place_of(self.url)

    def http_client(self) -> httpx2.Client:
        """An HTTP client that also gives up on a server that keeps the connection open but sends no data."""
        return _http_client(self.timeout_seconds)

    def async_http_client(self) -> httpx2.AsyncClient:
        """The same for asynchronous calls, as LangChain builds it, but for redirects."""
        return _async_http_client(self.url, self.timeout_seconds)

    @contextmanager
    def explained(self, *, midway: bool = False) -> Iterator[None]:
        """Turn what the client raises inside into ModelError; `midway`: an answer had begun."""
        try:
            yield
        except openai.OpenAIError as error:
            if isinstance(error.__cause__, ModelError):  # of a hook of our client, which says more
                raise error.__cause__ from error
            raise explain(
                error, what=self.what, place=self.place, model=self.model, key=self.key, variable=self.variable, midway=midway
            ) from error
        except TimeoutError as error:  # of langchain-openai's asynchronous streams
            raise timed_out(what=self.what, place=self.place) from error
        except _MALFORMED as error:
            raise self.malformed() from error

    def malformed(self) -> ModelError:
        """The error for an answer that cannot be understood."""
        return ModelError(
            f"{self.place} gave an answer that is not what an OpenAI-compatible {self.what} endpoint gives. "
            "Check base_url (most end in /v1).",
            code="malformed",
        )

    def patiently(self, call: Callable[[], _T]) -> _T:
        """The result of a call, which is tried up to three times while the endpoint is over its limit, failing or out of reach.

        No attempt begins after half of `timeout_seconds`: so a call that timed out is not tried again. None begins after a stop
        was requested.
        """
        started, pause = time.monotonic(), FIRST_PAUSE
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.explained():
                    return call()
            except ModelUnavailable as error:
                wait = pause if error.retry_after is None else error.retry_after
                too_late = time.monotonic() - started + wait > self.timeout_seconds / 2
                if attempt == ATTEMPTS or too_late:
                    raise
                current().pause(wait)
                if current().requested:
                    raise
            pause *= 2
        raise AssertionError("the last attempt returns or raises")


class _Client(openai.DefaultHttpxClient):
    """An HTTP client that lets go when a stop is requested, and closes its connections when nobody holds it any more."""

    def __init__(self, seconds: float) -> None:
        super().__init__(timeout=seconds, event_hooks={"response": [redirects.check, self._watch]})
        self._seconds = seconds

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()

    def _init_transport(
        self, *_: Any, limits: httpx2.Limits = openai.DEFAULT_CONNECTION_LIMITS, **__: Any
    ) -> httpx2.BaseTransport:
        return StoppableTransport(limits=limits)

    def _watch(self, response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Watched(response.stream, request=response.request, seconds=self._seconds)


@lru_cache(maxsize=4)
def _http_client(seconds: float) -> httpx2.Client:
    """One client for all models that are waited for equally long: a new one takes 50 ms, and every question builds its model."""
    return _Client(seconds)


@lru_cache  # few addresses, and one that is dropped without a loop could not close its connections
def _async_http_client(url: str, seconds: float) -> httpx2.AsyncClient:
    """One client for all models at an address, as LangChain has it."""
    return openai.DefaultAsyncHttpxClient(base_url=url, timeout=seconds, event_hooks={"response": [redirects.check_later]})


class _Watched(httpx2.SyncByteStream):
    """A response's bytes. Raises APITimeoutError when none but blanks and comments (": ping") have come for so many seconds.

    HTTP's own time limit counts any byte, so that a server that is stuck but sends comments would be waited for without end.
    """

    def __init__(self, stream: httpx2.SyncByteStream, *, request: httpx2.Request, seconds: float) -> None:
        self._stream, self._request, self._seconds = stream, request, seconds

    def __iter__(self) -> Iterator[bytes]:
        last = time.monotonic()
        for data in self._stream:
            now = time.monotonic()
            if any(line and not line.startswith(b":") for line in data.split(b"\n")):
                last = now
            elif now - last > self._seconds:
                raise openai.APITimeoutError(request=self._request)
            yield data

    def close(self) -> None:
        self._stream.close()
