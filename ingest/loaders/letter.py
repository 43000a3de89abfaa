"""A message, whatever file it came in: its header, its body and what is attached, as Documents in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.members import Member, Unread, read_members
from ingest.loaders.nest import escape_text, nest_markdown

_FLOWED = re.compile(r"^(>*) ?(.*)$")


@dataclass
class Letter:
    """What a message says. `header` holds (name, value) in the order in which it is shown; `body` is Markdown."""

    subject: str = ""
    header: list[tuple[str, str]] = field(default_factory=list)
    body: str = ""
    attachments: list[Member | Unread] = field(default_factory=list)
    author: str | None = None
    created: str | None = None
    encoding: str | None = None
    confidence: float | None = None


def body_of_text(text: str) -> str:
    """A body in plain text as Markdown; quoted replies stay."""
    return escape_text(clean(text).strip("\n")).text


def body_of_page(markdown: str) -> str:
    """A body that was a web page, below the subject."""
    return nest_markdown(clean(markdown).strip("\n"), 1).text


def unflowed(text: str, *, blanks: bool = True) -> str:
    """The paragraphs of format=flowed (RFC 3676): a line that ends in a blank goes on in the next of the same depth.

    Without `blanks` (delsp=yes), the blank at its end is no part of the text.
    """
    lines: list[tuple[str, str]] = []
    open_ = False
    for line in text.replace("\r\n", "\n").split("\n"):
        match = _FLOWED.match(line)
        quote, words = match.groups() if match else ("", line)
        signature = words == "-- "
        if open_ and lines and lines[-1][0] == quote and not signature:
            lines[-1] = (quote, (lines[-1][1] if blanks else lines[-1][1][:-1]) + words)
        else:
            lines.append((quote, words))
        open_ = words.endswith(" ") and not signature
    return "\n".join(f"{quote} {words}" if quote else words for quote, words in lines)


def documents_of(loader: FileLoader, letter: Letter, *, level: int = 1) -> Iterator[Document]:
    """The message, then its attachments below their names; those that cannot be read are named in it and in `skipped`."""
    contents = read_members(loader, letter.attachments, level=level + 1)
    title = " ".join(clean(letter.subject).split())
    header = "\n".join(f"{name}: {' '.join(clean(value).split())}" for name, value in letter.header if value.strip())
    unread = "\n".join(f"Attachment {path}: {reason}" for path, reason in contents.skipped)
    parts = (f"{'#' * level} {title}" if title else "", header, letter.body, unread)
    yield loader.document(
        "\n\n".join(part for part in parts if part.strip()),
        "markdown",
        title=title,
        author=letter.author or None,
        created=letter.created,
        encoding=letter.encoding,
        encoding_confidence=letter.confidence,
        skipped=contents.skipped or None,
    )
    yield from contents.documents
