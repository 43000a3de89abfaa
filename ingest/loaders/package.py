"""Documents that are zip archives, such as .docx, .xlsx, .odt and .epub: checked before anything in them is expanded."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from lxml import etree

from ingest.errors import EncryptedFile, TooLarge, UnreadableFile
from settings.ingest import ParseSettings

PARTS_AN_ENTRY = 10
"""A slide is a part, as are its notes, its relations and its pictures: so many parts count as one file of an archive."""
MAX_RATIO = 200
"""Expanded to packed size; text and XML pack about 10 to 1. Rows that are read one after the other may pack better."""
MAX_XML_MB = 64
"""What is held in memory as a tree, which takes about ten times as much."""
_XML = (".xml", ".rels", ".vml", ".opf", ".ncx")
_PAGES = (".xhtml", ".html", ".htm")
_PROLOG_BYTES = 65_536
_PROLOG = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_DECLARES = re.compile(rb"<!")
_ENTITIES = re.compile(rb"<!(?!DOCTYPE[^>\[]*>)", re.IGNORECASE)
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)


class Package:
    """The parts of a document of at most `parse.max_expanded_mb` MiB. zipfile never expands a part beyond its declared size.

    Parts under the paths `streamed` are read bit by bit, so they count for that limit only. With `doctypes`, XML may name its
    type, as in EPUB and old OpenDocument; no XML may define entities. Raises TooLarge, EncryptedFile, UnreadableFile, and what
    zipfile raises for what is no archive.
    """

    def __init__(
        self, name: str, data: bytes, parse: ParseSettings, *, streamed: tuple[str, ...] = (), doctypes: bool = False
    ) -> None:
        self.name = name
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = frozenset(self.archive.namelist())
        self._check_sizes(len(data), parse, streamed)
        forbidden = _ENTITIES if doctypes else _DECLARES
        for entry in self.archive.infolist():
            if entry.filename.lower().endswith(_XML):
                self._check_prolog(entry, forbidden)

    def read(self, part: str) -> bytes:
        """A part's bytes. Raises KeyError for a part that is not there."""
        return self.archive.read(part)

    def xml(self, part: str) -> Any:
        """The root element of a part, without comments and processing instructions; None when there is no such part."""
        return parse_xml(self.archive.read(part)) if part in self.names else None

    def _check_sizes(self, packed: int, parse: ParseSettings, streamed: tuple[str, ...]) -> None:
        entries = self.archive.infolist()
        if any(entry.flag_bits & 1 for entry in entries):
            raise password_needed(self.name, "parts of it are encrypted")
        held = [entry for entry in entries if not (streamed and entry.filename.startswith(streamed))]
        expanded, in_trees = sum(entry.file_size for entry in entries), _size_of_xml(held)
        if (
            len(entries) > PARTS_AN_ENTRY * parse.max_entries
            or expanded > parse.max_expanded_mb * 2**20
            or sum(entry.file_size for entry in held) > MAX_RATIO * packed
            or in_trees > MAX_XML_MB * 2**20
        ):
            raise TooLarge(
                self.name,
                f"it would expand to {expanded // 2**20} MB in {len(entries)} parts",
                remedy="If it is a real document, split it into smaller ones.",
                code="expands",
                mb=expanded // 2**20,
                parts=len(entries),
            )

    def _check_prolog(self, entry: zipfile.ZipInfo, forbidden: re.Pattern[bytes]) -> None:
        """Entities are defined in a DOCTYPE, before the first element. What is left of a comment without an end is refused too.

        Without its NULs UTF-16 reads as ASCII; lxml knows no other wide code.
        """
        with self.archive.open(entry) as part:
            head = part.read(_PROLOG_BYTES).replace(b"\0", b"")
        prolog = _PROLOG.match(head)
        if forbidden.match(head, prolog.end() if prolog else 0):
            raise UnreadableFile(
                self.name,
                "it defines XML entities, which no office program does",
                remedy="Open it in the program that it is for and save it again.",
                code="xml_entities",
            )


def parse_xml(data: bytes) -> Any:
    """The root element, without comments and processing instructions; entities stay as they are. Raises lxml's errors.

    The names of "strict" Open XML are those of the usual, transitional one.
    """
    return etree.fromstring(_transitional(data), _PARSER)


def transitional(package: Package, data: bytes) -> bytes:
    """The file itself, or one with the usual names for a file in "strict" Open XML, which libraries do not know."""
    names = [name for name in package.names if name.lower().endswith(_XML)]
    if not any(b"purl.oclc.org/ooxml" in package.read(name) for name in names if name.endswith("_rels/.rels")):
        return data
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in package.names:
            content = package.read(name)
            archive.writestr(name, _transitional(content) if name in names else content)
    return out.getvalue()


def _transitional(data: bytes) -> bytes:
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", data)


def password_needed(name: str, reason: str = "the document is protected by a password") -> EncryptedFile:
    """The error for a document that cannot be read without its password."""
    return EncryptedFile(name, reason, remedy="Save a copy without the password.", code="password")


def _size_of_xml(entries: list[zipfile.ZipInfo]) -> int:
    return sum(entry.file_size for entry in entries if entry.filename.lower().endswith((*_XML, *_PAGES)))
