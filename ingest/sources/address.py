"""Web addresses: which may be fetched, under which name their documents are kept, and where in the network they lead."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Callable, Sequence

import httpx

from ingest.errors import LoadError
from ingest.sources.errors import RefusedSource, UnreachableSource

Resolve = Callable[[str, int], Sequence[str]]
"""The numeric addresses of a host, the best first. Raises OSError."""

LONGEST = 2000
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_USER = re.compile(r"^(\s*(?:[A-Za-z][\w+.-]*:)?[/\\]*)[^/?#\\]*@")
_ENCODED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NOT_GLOBAL = tuple(map(ipaddress.ip_network, ("fec0::/10", "192.88.99.0/24", "192.0.0.0/24")))
"""Besides those that every version of Python knows: site-local, the anycast of 6to4, and protocol assignments."""
_HOST = re.compile(rb"[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?")


def is_address(text: str) -> bool:
    """Whether a text is meant as a web address (or another URL, which is refused), not as a path."""
    return "://" in text or bool(re.match(r"\s*(?:https?|file|ftp|data|javascript):", text, re.IGNORECASE))


def parsed(text: str, *, name: str | None = None) -> httpx.URL:
    """The address without its fragment. Raises RefusedSource, whose name is `name`, or the text without what is secret in it."""
    shown = name or without_user(text.strip())
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in ("http", "https"):
        remedy = "Give one that begins with https:// or http://."
        reason = f"addresses that begin with {scheme[1].lower()}: are not fetched"
        raise RefusedSource(shown, reason, remedy=remedy, code="url_scheme", scheme=scheme[1].lower())
    try:
        url = httpx.URL(text.strip()).copy_with(fragment=None)
        if ":" in url.host:
            url = url.copy_with(host=str(ipaddress.IPv6Address(url.host)))
        whole = _HOST.fullmatch(url.raw_host) and (url.port is None or 0 < url.port < 65536)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        raise _invalid(shown) from None
    if url.userinfo:
        remedy = "Give it without."
        reason = "the address holds a user name or password, which would be stored with the document"
        raise RefusedSource(shown, reason, remedy=remedy, code="url_credentials")
    if not whole or not scheme or len(text) > LONGEST or not text.strip().isprintable():
        raise _invalid(shown)
    return url


def name_of(url: httpx.URL) -> str:
    """The name of a page's document: its address as a browser shows it, letters of any script instead of their codes."""
    return _ENCODED.sub(_readable, str(url))


def without_user(text: str) -> str:
    """An address as it may be shown and stored, whatever it is: without user name and password, and no longer than it may be."""
    return _USER.sub(r"\1", text)[:LONGEST]


def site_of(url: httpx.URL) -> str:
    """Scheme, host and port, such as https://example.org, which robots.txt speaks for."""
    return str(url.copy_with(raw_path=b"/")).rstrip("/")


def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the system knows for a host. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def reachable(host: str, port: int, resolve: Resolve, *, private: bool, name: str) -> Sequence[str]:
    """The numeric addresses of a host, found out once, to connect to these very ones; all public, unless `private` ones may be.

    Raises RefusedSource, and UnreachableSource for a host that is not known; `name` is the document's.
    """
    try:
        found = resolve(host, port)
    except (OSError, UnicodeError):
        found = ()
    if not found:
        remedy = "Check the address and the network."
        reason = f"there is no site {host}, or no connection to ask for it"
        raise UnreachableSource(name, reason, remedy=remedy, code="unknown_host", host=host)
    if not private and not all(map(is_public, found)):
        reason = f"{host} is on this machine or in a private network, which is not fetched from"
        remedy = "If that is safe here, set sources.allow_private_addresses to true."
        raise RefusedSource(name, reason, remedy=remedy, code="private_address", host=host)
    return found


def is_public(address: str) -> bool:
    """Whether a numeric address is one of the open internet, and none that another one is hidden in is not.

    False for private, loopback, link-local, shared, multicast, reserved and unspecified ones.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if ip in _NAT64:  # how networks without IPv4 reach it
        return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    if not ip.is_global or ip.is_multicast or ip.is_reserved or ip.is_unspecified or any(ip in net for net in _NOT_GLOBAL):
        return False
    return all(is_public(str(hidden)) for hidden in _hidden_in(ip))


def _hidden_in(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address leads to: mapped, 6to4, Teredo."""
    if isinstance(ip, ipaddress.IPv4Address):
        return []
    teredo = ip.teredo[1:] if ip.teredo else ()
    return [hidden for hidden in (ip.ipv4_mapped, ip.sixtofour, *teredo) if hidden is not None]


def _readable(match: re.Match[str]) -> str:
    try:
        text = bytes.fromhex(match[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]
    return text if all(unicodedata.category(character)[0] in "LMN" for character in text) else match[0]


def _invalid(shown: str) -> LoadError:
    remedy = "Give one such as https://example.org/page."
    return RefusedSource(shown, "this is no web address", remedy=remedy, code="url_invalid")
