"""Connections for httpx that lead exactly where an address was found to lead, and end when their time is over.

A host's name is resolved once, the addresses are checked, and the connection goes to one of those, so that no second answer of a
name server can lead elsewhere (DNS rebinding). The certificate is still held against the name. Proxies of the environment are not
used: they would resolve the name themselves.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import httpcore
import httpx


class Deadline:
    """A moment by which all must be done; httpx itself bounds only each single read."""

    def __init__(self) -> None:
        self._end = float("inf")

    def restart(self, seconds: float) -> None:
        """So many seconds from now."""
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds. Raises TimeIsUp when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeIsUp
        return left


class TimeIsUp(Exception):
    """The deadline has passed."""


class PinnedTransport(httpx.BaseTransport):
    """Sends requests over connections that `addresses` lets it make: numeric addresses of a host, or an error of the caller's.

    Raises httpcore's NetworkError, ProtocolError and TimeoutException, and TimeIsUp.
    """

    def __init__(self, addresses: Callable[[str, int], Sequence[str]], deadline: Deadline) -> None:
        backend = _Backend(addresses, deadline)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(), network_backend=backend, max_keepalive_connections=4
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One request, without following redirects."""
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        answer = self._pool.handle_request(
            httpcore.Request(request.method, target, headers=request.headers.raw, extensions=request.extensions)
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        """Close the connections that are kept."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """The body of an answer, as it comes."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class _Backend(httpcore.NetworkBackend):
    """Connects to the first of a host's addresses that answers."""

    def __init__(self, addresses: Callable[[str, int], Sequence[str]], deadline: Deadline) -> None:
        self._addresses, self._deadline = addresses, deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._addresses(host, port)
        failure: Exception | None = None
        for number, address in enumerate(addresses):
            share = self._deadline.left() / (len(addresses) - number)
            try:
                made = self._inner.connect_tcp(address, port, min(share, timeout or share), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(made, self._deadline)
        raise failure or httpcore.ConnectError("no address")


class _Stream(httpcore.NetworkStream):
    """A connection on which no step lasts longer than the deadline lets it, however little each of them brings."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._bounded(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._bounded(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, self._bounded(timeout)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def _bounded(self, timeout: float | None) -> float:
        left = self._deadline.left()
        return left if timeout is None else min(left, timeout)
