"""Outlook messages (.msg), from their properties (MS-OXMSG). python-oxmsg fails on code pages that Python names otherwise."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from langchain_core.documents import Document

from ingest.errors import Reason, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.letter import Letter, body_of_page, body_of_text, documents_of
from ingest.loaders.mail_header import decode_bytes
from ingest.loaders.markup import whole_markdown
from ingest.loaders.members import Member, Unread, budget_of
from ingest.loaders.msg_rtf import text_of_rtf

_SUBJECT, _BODY, _HTML, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP, _TO, _CC = 0x0C1A, 0x0C1F, 0x5D01, 0x0E04, 0x0E03
_SENT, _DELIVERED, _CREATED, _INTERNET_CODE_PAGE, _CODE_PAGE = 0x0039, 0x0E06, 0x3007, 0x3FDE, 0x3FFD
_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME, _DATA = 0x3707, 0x3704, 0x3001, 0x3701
_CODECS = {65001: "utf-8", 20127: "us-ascii", 28591: "iso-8859-1", 936: "gb18030", 54936: "gb18030", 950: "big5"}
_CODECS |= {
    932: "shift_jis",
    949: "euc-kr",
    51949: "euc-kr",
    51932: "euc-jp",
    20866: "koi8-r",
    52936: "gb18030",
    28592: "iso-8859-2",
}
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_DAMAGED = "Open it in Outlook and save it again, as .msg or as a PDF."


class MsgLoader(FileLoader):
    """An Outlook message: subject as title, header, body, then what is attached."""

    def lazy_load(self) -> Iterator[Document]:
        """The message and its attachments; a message that is attached is one of them. Raises UnreadableFile."""
        for level, letter in self.letters():
            yield from documents_of(self, letter, level=level)

    def letters(self) -> list[tuple[int, Letter]]:
        """The message, and those that are attached to it, with their levels. Raises UnreadableFile."""
        import olefile

        try:
            with olefile.OleFileIO(io.BytesIO(self.data)) as file:
                letters = list(_letters(self, _Storage(file, ()), ()))
        except (OSError, ValueError, IndexError, TypeError, AttributeError, struct.error, RecursionError) as error:
            raise self._damaged() from error
        if not any(letter.subject or letter.body or letter.attachments for _, letter in letters):
            raise self._damaged()
        return letters

    def _damaged(self) -> UnreadableFile:
        return UnreadableFile(self.name, "the message is damaged", remedy=_DAMAGED, code="damaged_mail")


class _Storage:
    """One folder of the file: a message or an attachment."""

    def __init__(self, file: Any, path: tuple[str, ...]) -> None:
        self.file, self.path = file, path
        inside = [entry[len(path) :] for entry in file.listdir() if tuple(entry[: len(path)]) == path]
        self.names = dict.fromkeys(entry[0] for entry in inside if entry)
        self.fixed = self._fixed(8 if path and path[-1].startswith("__attach") else 24 if path else 32)
        pages = (self.fixed.get(page, b"\0" * 8) for page in (_CODE_PAGE, _INTERNET_CODE_PAGE))
        self.pages = [page for page in (int.from_bytes(value[:4], "little") for value in pages) if page]

    def text(self, *properties: int) -> str:
        """The first of the properties that holds text, whichever type it has."""
        for number in properties:
            wide, narrow, data = (self.stream(number, kind) for kind in ("001F", "001E", "0102"))
            if wide:
                return wide.decode("utf-16-le", "replace").rstrip("\0")
            if narrow or (data and number == _HTML):
                return self._decode(narrow or data or b"")
        return ""

    def stream(self, number: int, kind: str) -> bytes | None:
        """The bytes of a property, None where there is none of this type."""
        name = f"__substg1.0_{number:04X}{kind}"
        found = next((given for given in self.names if given.upper() == name.upper()), None)
        if found is None or self.file.get_type([*self.path, found]) != 2:
            return None
        with self.file.openstream([*self.path, found]) as stream:
            data: bytes = stream.read()
        return data

    def time(self, *properties: int) -> str | None:
        """The first of the properties that holds a time, in ISO 8601."""
        for number in properties:
            ticks = int.from_bytes(self.fixed.get(number, b"")[:8], "little")
            if 0 < ticks < 10**18:
                return (_EPOCH + timedelta(microseconds=ticks // 10)).isoformat(timespec="seconds")
        return None

    def _decode(self, data: bytes) -> str:
        """The declared code page is a hint, as it is often that of another machine."""
        data = data.rstrip(b"\0")
        codecs = [_CODECS.get(page, f"windows-{page}") for page in self.pages]
        return decode_bytes(data, codecs[0] if codecs else None)

    def _fixed(self, header: int) -> dict[int, bytes]:
        """The properties of fixed length: 16 bytes each, type, number, flags, value."""
        if "__properties_version1.0" not in self.names:
            return {}
        with self.file.openstream([*self.path, "__properties_version1.0"]) as stream:
            data = stream.read()
        records = (data[place : place + 16] for place in range(header, len(data) - 15, 16))
        return {struct.unpack_from("<H", record, 2)[0]: record[8:] for record in records}


def _letters(loader: FileLoader, storage: _Storage, above: tuple[str, ...]) -> Iterator[tuple[int, Letter]]:
    """The message with its level, then the messages that are attached to it."""
    letter, attached = Letter(subject=storage.text(_SUBJECT)), []
    address = storage.text(_SENDER_SMTP, _SENDER_ADDRESS)
    sender = storage.text(_SENDER)
    letter.author = f"{sender} <{address}>" if sender and "@" in address and address not in sender else sender or address
    letter.created = storage.time(_SENT, _DELIVERED, _CREATED)
    letter.header = [
        ("From", letter.author),
        ("To", storage.text(_TO)),
        ("Cc", storage.text(_CC)),
        ("Date", letter.created or ""),
    ]
    letter.body = _body(storage)
    for name in sorted(name for name in storage.names if name.lower().startswith("__attach_version1.0_")):
        attachment = _Storage(storage.file, (*storage.path, name))
        inner = next((given for given in attachment.names if given.upper() == f"__SUBSTG1.0_{_DATA:04X}000D"), None)
        data = attachment.stream(_DATA, "0102")
        path = " ".join(attachment.text(_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME).split()) or "attachment"
        if inner and len(above) < 2 and budget_of(loader).entries > 0:
            budget_of(loader).entries -= 1
            attached.append(_Storage(storage.file, (*attachment.path, inner)))
        elif inner:
            letter.attachments.append(Unread(path, Reason("it is a message within messages", "part_too_deep")))
        elif data:
            letter.attachments.append(Member(path, data))
    yield len(above) + 1, letter
    for each in attached:
        yield from _letters(loader, each, (*above, letter.subject))


def _body(storage: _Storage) -> str:
    """The plain text, else that of the page, else that of the rich text."""
    plain = storage.text(_BODY)
    if plain.strip():
        return body_of_text(plain)
    page = storage.text(_HTML)
    if page.strip():
        return body_of_page(whole_markdown(page))
    return body_of_text(text_of_rtf(storage.stream(_RTF, "0102") or b""))
