"""Mails as programs store them (.eml) and mailboxes of them (.mbox)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cached_property

from langchain_core.documents import Document

from ingest.errors import Reason, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.letter import Letter, documents_of
from ingest.loaders.mail_header import header_text, header_texts
from ingest.loaders.mail_parts import read_parts
from ingest.loaders.members import budget_of, too_deep

_SHOWN = ("From", "To", "Cc", "Date")
_FROM_LINE = re.compile(rb"(?:\A|\n\n)From [^\n]+\n(?=[\x21-\x39\x3b-\x7e]{1,70}:|>?From )")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


class MailLoader(FileLoader):
    """A mail: subject as title, header, body, then what is attached."""

    def lazy_load(self) -> Iterator[Document]:
        """The mail and its attachments. Raises UnreadableFile for what is no mail."""
        for letter in self.letters():
            yield from documents_of(self, letter)

    def letters(self) -> Iterator[Letter]:
        """The mail. Raises UnreadableFile for what is no mail."""
        yield letter_of(self, self.data)


class MailboxLoader(FileLoader):
    """A mailbox in the format of Unix: mails one after the other, each behind a line that begins with "From "."""

    def lazy_load(self) -> Iterator[Document]:
        """The mails in order, as far as ingest.parse.max_entries allows. Raises UnreadableFile when there is none."""
        for number, letter in enumerate(self.letters()):
            if letter is None:
                words = f"only the first {number} mails are read. Raise ingest.parse.max_entries"
                reason = Reason(words, "part_limit", read=number, limit=self.settings.parse.max_entries)
                yield self.document(f"{reason}.", "markdown", skipped=[["…", reason]])
                return
            for document in documents_of(self, letter):
                yield Document(document.page_content, metadata=document.metadata | ({"title": None} if self._starts else {}))

    def letters(self) -> Iterator[Letter | None]:
        """The mails in order; a None in place of those that are too many. Raises UnreadableFile when there is none."""
        data, budget = self._data, budget_of(self)
        if not self._starts:
            yield letter_of(self, data)
        ends = [start for start, _ in self._starts[1:]] + [len(data)]
        for (_, start), end in zip(self._starts, ends, strict=False):
            if budget.entries < 1:
                yield None
                return
            budget.take(self.name, 0)
            yield letter_of(self, _QUOTED_FROM.sub(rb"\1", data[start:end]))

    @cached_property
    def _data(self) -> bytes:
        return self.data.replace(b"\r\n", b"\n")

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        """Where the lines that part the mails begin and end."""
        return [(match.start(), match.end()) for match in _FROM_LINE.finditer(self._data)]


def letter_of(loader: FileLoader, data: bytes) -> Letter:
    """The mail in these bytes. Raises UnreadableFile for what is no mail."""
    try:
        message = message_from_bytes(data.lstrip(b"\xef\xbb\xbf\r\n"))
        letter = _letter(loader, message)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(loader.name) from error
    if not letter.header and not letter.subject:
        raise _damaged(loader.name)
    return letter


def _letter(loader: FileLoader, message: Message) -> Letter:
    letter = Letter(subject=header_text(message, "Subject"), author=header_text(message, "From") or None)
    letter.header = [(name, ", ".join(header_texts(message, name))) for name in _SHOWN if name in message]
    letter.created = _date(message)
    read_parts(message, letter, nested=not too_deep(loader))
    return letter


def _date(message: Message) -> str | None:
    """The date in ISO 8601; None for one that is none."""
    try:
        return parsedate_to_datetime(header_text(message, "Date")).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _damaged(name: str) -> UnreadableFile:
    remedy = "Open it in a mail program and save it again as .eml, or as a PDF."
    return UnreadableFile(name, "the message is damaged", remedy=remedy, code="damaged_mail")
