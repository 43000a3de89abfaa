"""Calendars and address cards (.ics, .vcf): their lines whole again, escapes and quoted-printable as words."""

from __future__ import annotations

import re
from binascii import a2b_qp
from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.loaders.mail_header import decode_bytes

_FOLD = re.compile(r"\n[ \t]")
_SOFT = re.compile(r"(?<==)\n")
_LINE = re.compile(r"((?:[\w-]+\.)?[A-Za-z-]+)((?:;[^:;]*)*):(.*)")
_CHARSET = re.compile(r"charset=([\w-]+)", re.IGNORECASE)
_NOISE = frozenset("begin end version prodid uid dtstamp sequence rev photo logo key sound transp class calscale method".split())
_ENTRIES = frozenset("vevent vtodo vjournal vcard".split())


class CardsLoader(FileLoader):
    """A paragraph of `name: value` lines for each event or person."""

    def lazy_load(self) -> Iterator[Document]:
        """The entries in order. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        text = "\n\n".join(_entries(decoded.text))
        yield self.document(text, "text", encoding=decoded.encoding, encoding_confidence=decoded.confidence)


def _entries(text: str) -> Iterator[str]:
    lines: list[str] = []
    folded = _FOLD.sub("", _SOFT.sub("", text) if "quoted-printable" in text.lower() else text)
    for line in folded.split("\n"):
        match = _LINE.match(line)
        if match is None:
            lines.extend([line] if line.strip() else [])
            continue
        name, options, value = match[1].rpartition(".")[2].lower(), match[2].lower(), match[3]
        if name == "begin" and value.strip().lower() in _ENTRIES and lines:
            yield "\n".join(lines)
            lines = []
        if name not in _NOISE and value.strip(" ;"):
            lines.append(f"{name}: {_value(value, options)}")
    if lines:
        yield "\n".join(lines)


def _value(value: str, options: str) -> str:
    if "quoted-printable" in options:
        charset = _CHARSET.search(options)
        value = decode_bytes(a2b_qp(value.replace("==", "=").encode("utf-8")), charset[1] if charset else None)
    return re.sub(r"\\([,;\\])", r"\1", re.sub(r"\\[nN]", " ", value)).strip(" ;").replace(";", " ")
