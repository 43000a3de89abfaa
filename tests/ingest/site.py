"""A web site on this machine, for tests of what is fetched from one."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from settings import Settings, load_settings
from tests.local_server import LONGEST_HANG, LocalServer


@dataclass(frozen=True)
class Answer:
    """What the site says to a request; of a `pace`, a byte of the body every so many seconds."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pace: float = 0.0
    length: int | None = None


Told = Answer | bytes | Callable[[Mapping[str, str]], Answer]


@dataclass
class Site(LocalServer):
    """Answers GET with what `pages` has under a path (with its query), else with 404. Use it in a `with`.

    `asked` are the paths in order, `heard` the headers of each request, with small letters.
    """

    pages: dict[str, Told] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    heard: list[dict[str, str]] = field(default_factory=list)

    def settings(self, **sources: Any) -> Settings:
        """Settings that let this site be fetched from, without pauses."""
        chosen = {"allow_private_addresses": True, "pause_seconds": 0.0, "timeout_seconds": 10.0} | sources
        return load_settings({f"sources.{name}": value for name, value in chosen.items()}, env={})

    def encrypt(self, context: ssl.SSLContext) -> None:
        """From now on, speak TLS."""
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)


def html(title: str, text: str) -> bytes:
    """A small page."""
    frame = f"<!doctype html><html><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>"
    return f"{frame}<main><h1>{title}</h1><p>{text}</p></main></body></html>".encode()


def redirect(to: str, status: int = 302) -> Answer:
    """An answer that leads elsewhere."""
    return Answer(status=status, headers={"Location": to})


def sitemap(*addresses: str, index: bool = False) -> bytes:
    """A sitemap, or an index of sitemaps."""
    root, entry = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    listed = "".join(f"<{entry}>\n <loc> {address} </loc></{entry}>" for address in addresses)
    return f"<?xml version='1.0'?><{root} xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{listed}</{root}>".encode()


class _Handler(BaseHTTPRequestHandler):
    told: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer from the site's pages."""
        self.told.asked.append(self.path)
        self.told.heard.append({name.lower(): value for name, value in self.headers.items()})
        found = self.told.pages.get(self.path, Answer(b"nothing here", 404))
        answer = (
            Answer(found)
            if isinstance(found, bytes)
            else found
            if isinstance(found, Answer)
            else found(dict(self.headers.items()))
        )
        try:
            self.send_response(answer.status)
            length = len(answer.body) if answer.length is None else answer.length
            for name, value in {"Content-Length": str(length), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self._write(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _write(self, answer: Answer) -> None:
        if not answer.pace:
            self.wfile.write(answer.body)
        for byte in answer.body if answer.pace else b"":
            self.wfile.write(bytes([byte]))
            if self.told.closing.wait(min(answer.pace, LONGEST_HANG)):
                break
        self.close_connection = len(answer.body) != (len(answer.body) if answer.length is None else answer.length)


Site.handler = _Handler
