"""Giving up a model's call from another thread, such as when a person presses Stop while it writes, or before it begins to.

What may be given up is told by a context variable, which LangChain hands on into its threads: every connection that is waited at
in the meantime is known to the `Stop`, which shuts it. The server notices, and the thread that waited goes on at once.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import httpcore2
import httpx2


class Stop:
    """Asked for once, by any thread; `requested` from then on."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._waiting: set[socket.socket] = set()

    @property
    def requested(self) -> bool:
        """Whether the work is to end."""
        return self._asked.is_set()

    def request(self) -> None:
        """Have the work end: nothing is waited for any longer."""
        with self._lock:
            self._asked.set()
            for each in self._waiting:
                _shut(each)

    def pause(self, seconds: float) -> None:
        """Wait so long, or until it is requested."""
        self._asked.wait(seconds)

    @contextmanager
    def waiting_at(self, connection: socket.socket | None) -> Iterator[None]:
        """While the block waits at a connection, a request shuts that; at once, where it was made before."""
        if connection is None:
            yield
            return
        with self._lock:
            self._waiting.add(connection)
            if self._asked.is_set():
                _shut(connection)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.discard(connection)


_current: ContextVar[Stop | None] = ContextVar("stop", default=None)
_NEVER = Stop()


def current() -> Stop:
    """What may end the calls of this thread; one that is never requested where nothing was told."""
    return _current.get() or _NEVER


@contextmanager
def stoppable(stop: Stop) -> Iterator[None]:
    """The calls of the block end when the stop is requested."""
    token = _current.set(stop)
    try:
        yield
    finally:
        _current.reset(token)


class StoppableTransport(httpx2.HTTPTransport):
    """httpx's own transport, on connections that `current()` knows while they are waited at."""

    def __init__(self, *, limits: httpx2.Limits) -> None:
        context = httpx2.create_ssl_context()
        super().__init__(verify=context, limits=limits)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_Backend(),
        )


class _Backend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        return _Stream(super().connect_tcp(host, port, timeout, local_address, socket_options))


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with current().waiting_at(self._inner.get_extra_info("socket")):
            return self._inner.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with current().waiting_at(self._inner.get_extra_info("socket")):
            self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _shut(connection: socket.socket) -> None:
    """End a connection so that whoever waits at it wakes; of an encrypted one, only the socket: its state is another thread's."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
