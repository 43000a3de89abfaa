"""What the store refuses, named for what the caller does next.

StoreError
├── UnknownBase, UnknownDocument,
│   UnknownChunk                     there is none of that name: choose another
├── InvalidName, InvalidFilter,
│   InvalidText                      the caller's value must be changed
├── InvalidVector                    the embedder gave something unusable
├── EmbedderMismatch                 the base must be indexed again, or the embedder set back
├── Occupied                         another process is at it: wait
└── NotWritable                      the disk is full, or the folder may not be written
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError


class StoreError(RuntimeError):
    """Base of the errors of this package.

    The message is in English; `code` and `params` say the same for the page, which has the words in its own languages.
    """

    code = "store_failed"

    def __init__(self, message: str, *, code: str | None = None, **params: Any) -> None:
        super().__init__(message)
        self.code = code or self.code
        self.params: dict[str, Any] = {"message": message} | params


class UnknownBase(StoreError):
    """There is no knowledge base of that name; the message lists those that exist."""

    code = "unknown_base"


class UnknownDocument(StoreError):
    """There is no document of that name or id in the base."""

    code = "unknown_document"


class UnknownChunk(StoreError):
    """There is no chunk with that id in the base or the document."""

    code = "unknown_chunk"


class InvalidText(StoreError):
    """A text that a chunk cannot have."""

    code = "invalid_text"


class InvalidName(StoreError):
    """A name that a base, or a tag that a document, cannot have."""

    code = "invalid_name"


class InvalidFilter(StoreError):
    """A filter on a field that cannot be filtered; the message lists those that can."""

    code = "invalid_filter"


class InvalidVector(StoreError, ValueError):
    """A vector of the wrong length, of zeros or of no numbers."""

    code = "invalid_vector"


class EmbedderMismatch(StoreError):
    """The base was built with another embedder; it must be indexed again before this one can search it or add to it."""

    code = "other_embedder"


class Occupied(StoreError):
    """Another process is doing the same just now."""

    code = "occupied"


class NotWritable(StoreError):
    """The store folder cannot be written: the message says why and what to do."""

    code = "not_writable"


_FULL = ("no space left", "disk is full", "file too large", "quota exceeded")
_FORBIDDEN = ("permission denied", "readonly database", "read-only file system", "unable to open database file")


@contextmanager
def naming_failures(folder: Path) -> Iterator[None]:
    """Turn what the disk, SQLite and LanceDB raise when they cannot write into NotWritable, which names the remedy."""
    try:
        yield
    except (OSError, DBAPIError) as error:
        raise _named(error, folder) from error
    except RuntimeError as error:
        if type(error) is not RuntimeError:  # a named error of ours, which says it better
            raise
        raise _named(error, folder) from error


def _named(error: Exception, folder: Path) -> NotWritable:
    said = str(error).lower()
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or any(words in said for words in _FULL):
        message = f"The disk of {folder} is full. Free some space and try again; what was stored before is whole."
        return NotWritable(message, code="disk_full", folder=str(folder))
    if number in (errno.EACCES, errno.EPERM, errno.EROFS) or any(words in said for words in _FORBIDDEN):
        message = f"The folder {folder} may not be written. Give this user write permission, or set store.dir to another."
        return NotWritable(message, code="forbidden", folder=str(folder))
    if number in (errno.EEXIST, errno.ENOTDIR):
        message = f"{folder} is no folder. Move that file away, or set store.dir to another."
        return NotWritable(message, code="no_folder", folder=str(folder))
    cause = (str(getattr(error, "orig", error)).splitlines() or [type(error).__name__])[0]
    return NotWritable(f"The store in {folder} failed: {cause}. Try again.", folder=str(folder), cause=cause)
