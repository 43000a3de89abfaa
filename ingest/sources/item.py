"""What a source gives: documents one after the other, as bytes, or with the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.errors import LoadError
from store.origins import Origin

Left = Literal["hidden", "junk", "link_outside", "link_inside", "special", "store"]


@dataclass(frozen=True)
class Item:
    """A document of a source, by the name that it has in a base. Exactly one of the first three says what there is of it.

    `data` are its bytes; `unchanged` means that the base holds it as it is now, so that nothing was read; `error` says why there
    is nothing. With `skipped` the error is no failure, but something that was left out on purpose, by a rule. `origin` is what to
    remember of where the bytes came from, once they are handed on.
    """

    name: str
    data: bytes | None = None
    unchanged: bool = False
    error: LoadError | None = None
    skipped: bool = False
    origin: Origin | None = None


@dataclass(frozen=True)
class LeftOut:
    """A file or folder within a folder that is not read, by its relative path, and why.

    hidden: the name begins with a dot. junk: programs leave it there. link_outside: a link that leads out of the folder.
    link_inside: a link to a folder that is in the folder itself. special: a device, a pipe or a socket. store: it is where the
    documents are kept.
    """

    name: str
    why: Left
