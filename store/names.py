"""What the names of documents tell, whether they are those of files or the addresses of web pages."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.library import StoredDocument


def is_web(name: str) -> bool:
    """Whether a document's name is the address of a page."""
    return name.startswith(("http://", "https://"))


def suffix_of(name: str) -> str:
    """The suffix of a file's name, in small letters and with its dot, "" where there is none; of an address, that of its path."""
    if is_web(name):
        name = name.partition("://")[2].partition("?")[0].partition("/")[2]
    return PurePath(name).suffix.lower()


def types_of(document: StoredDocument) -> frozenset[str]:
    """The types of a document, such as "pdf": the suffixes of its names, and what it was read as.

    The name of a web page tells no type. Of pages that were added before their type was kept, it is "html", but for what their
    addresses end in.
    """
    names = (document.source, *document.aliases)
    read_as = document.report.get("type")
    found = {suffix_of(name) for name in names if not (is_web(name) and read_as)} | {f".{read_as}" if read_as else ""}
    if not read_as and all(is_web(name) and not suffix_of(name) for name in names):
        found.add(".html")
    return frozenset(suffix.lstrip(".").casefold() for suffix in found) - {""}
