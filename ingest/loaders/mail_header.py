"""Header fields of mails as people read them, whatever encoding they are in and claim to be in."""

from __future__ import annotations

from binascii import Error as Base64Error
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message

from ingest.errors import LoadError
from ingest.loaders.encoding import decode_file


def header_text(message: Message, name: str) -> str:
    """The first field of this name, "" where there is none."""
    found = header_texts(message, name)
    return found[0] if found else ""


def header_texts(message: Message, name: str) -> list[str]:
    """All fields of this name."""
    return [decode_words(value) for field, value in message.raw_items() if field.lower() == name.lower()]


def decode_words(raw: str) -> str:
    """A value with its encoded words (RFC 2047) decoded; bytes that no one declared are read as the likeliest text."""
    raw = " ".join(str(raw).split())
    if not raw.isascii():
        return decode_bytes(raw.encode("utf-8", "surrogateescape"))
    try:
        words = decode_header(raw)
    except (HeaderParseError, Base64Error, ValueError):
        return raw
    return "".join(word if isinstance(word, str) else decode_bytes(word, charset) for word, charset in words)


def decode_bytes(data: bytes, charset: str | None = None) -> str:
    """The text of these bytes; binary ones are replaced."""
    try:
        return decode_file("", data, charset).text
    except LoadError:
        return data.decode("utf-8", "replace")
