"""Files within a file, such as the members of an archive or a mail's attachments: each read by the registry, below its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document

from ingest.errors import EncryptedFile, LoadError, Reason, UnsupportedFile
from ingest.loaders.base import FileLoader
from ingest.loaders.budget import DEEPEST, Budget
from ingest.loaders.nest import escape_text, fenced, nest_markdown

_KEPT = ("page", "sheet", "ocr_confidence")
_LONGEST_NAME = 300


@dataclass(frozen=True)
class Member:
    """A file within a file, by the path that it has there; the path is only shown."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Unread:
    """A file within a file that cannot be taken out of it, with the reason."""

    path: str
    reason: str
    encrypted: bool = False


@dataclass
class Contents:
    """What was read of the files within a file, and [path, reason] of those that gave nothing."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[list[str]] = field(default_factory=list)
    all_encrypted: bool = True

    def skip(self, path: str, reason: str, *, encrypted: bool = False) -> None:
        """Note one that gives nothing."""
        self.skipped.append([path, reason])
        self.all_encrypted = self.all_encrypted and encrypted


def read_members(loader: FileLoader, members: Iterable[Member | Unread], *, level: int = 1, named: bool = True) -> Contents:
    """Read each member, its name as a heading of that level, as Documents in Markdown with the source of `loader`.

    What is not `named` stands where it is a part of the text itself. A member that cannot be read never stops the others.
    """
    contents = Contents()
    for member in members:
        if isinstance(member, Unread):
            contents.skip(member.path, member.reason, encrypted=member.encrypted)
            continue
        try:
            parts = _read(loader, member)
        except LoadError as error:
            words = error.reason if isinstance(error, UnsupportedFile) else f"{error.reason}. {error.remedy}"
            contents.skip(member.path, Reason(words, error.code, **error.params), encrypted=isinstance(error, EncryptedFile))
            continue
        below = [[f"{member.path} / {path}", reason] for part in parts for path, reason in part.metadata.get("skipped", ())]
        contents.skipped.extend(below)
        if not any(part.page_content.strip() for part in parts):
            contents.skip(member.path, Reason("no text found", "no_text"))
            continue
        contents.all_encrypted = False
        for number, part in enumerate(parts):
            contents.documents.append(_below(loader, part, heading=member.path if named and not number else "", level=level))
    return contents


def budget_of(loader: FileLoader) -> Budget:
    """What may be unpacked yet: of the file that was uploaded, however deep this one lies in it."""
    if loader.budget is None:
        loader.budget = Budget.of(loader.settings.parse)
    return loader.budget


def _read(loader: FileLoader, member: Member) -> list[Document]:
    with opened(loader, member) as inner:
        return list(inner.lazy_load())


@contextmanager
def opened(loader: FileLoader, member: Member) -> Iterator[FileLoader]:
    """The loader of a member, one level deeper. Raises LoadError."""
    from ingest.loaders.registry import get_loader

    budget = budget_of(loader)
    inner = get_loader(member.path, member.data, loader.settings, loader.password)
    inner.budget = budget
    budget.depth += 1
    try:
        yield inner
    finally:
        budget.depth -= 1


def too_deep(loader: FileLoader) -> bool:
    """Whether an archive lies in so many others that it is not opened."""
    return budget_of(loader).depth > DEEPEST


def _below(loader: FileLoader, part: Document, *, heading: str, level: int) -> Document:
    """The part as it stands below its heading, without what is true of its own file only."""
    text = part.page_content
    if part.metadata["format"] == "markdown":
        nested = nest_markdown(text, level)
    elif "language_code" in part.metadata:
        code = fenced(text, part.metadata["language_code"])
        return _document(loader, part, _behind(heading, level, code))
    else:
        nested = escape_text(text)
    whole = _behind(heading, level, nested.text)
    moved = len(whole) - len(nested.text)
    rows = [(row, moved + nested.place(start), moved + nested.place(end)) for row, start, end in part.metadata.get("rows", ())]
    return _document(loader, part, whole, **({"rows": rows} if rows else {}))


def _behind(heading: str, level: int, text: str) -> str:
    name = " ".join(heading.split())[:_LONGEST_NAME]
    return f"{'#' * level} {name}\n\n{text}" if name else text


def _document(loader: FileLoader, part: Document, text: str, **more: Any) -> Document:
    kept = {key: part.metadata[key] for key in _KEPT if key in part.metadata}
    return loader.document(text, "markdown", **kept, **more)
