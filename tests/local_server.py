"""A real HTTP server on this machine, for tests of remote models."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

LONGEST_HANG = 20
"""Seconds; a hanging answer ends when the server is closed, and at the latest then."""


@dataclass(frozen=True)
class Request:
    """A request that the server got."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class LocalServer:
    """Serves in a `with`. Its `handler` finds the server under `told`; `closing` is set when the `with` ends."""

    handler: ClassVar[type[BaseHTTPRequestHandler]]

    def __enter__(self) -> Self:
        self.closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (self.handler,), {"told": self}))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._http.server_port}"
