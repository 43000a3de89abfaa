"""What a file is by its bytes, whatever its name says."""

from __future__ import annotations

import io
import re
import zipfile
from enum import Enum

import filetype

_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PDF_PARTS = re.compile(rb"\bendobj\b|\bstartxref\b")
_UTF_16_NAME = "EncryptedPackage".encode("utf-16-le")
_SIGNATURES = (
    (rb"\{\\rtf", "RTF"),
    (rb"\x1f\x8b\x08|\xfd7zXZ\0|BZh[1-9]1AY&SY", "COMPRESSED"),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x28\xb5\x2f\xfd", "PACKED"),
    (rb"[\s\S]{257}ustar", "TAR"),
)
_MIMETYPES = {
    b"application/epub+zip": "EPUB",
    b"application/vnd.oasis.opendocument.text": "ODT",
    b"application/vnd.oasis.opendocument.spreadsheet": "ODS",
    b"application/vnd.oasis.opendocument.presentation": "ODP",
}


class Kind(Enum):
    """The kinds that need telling apart; the value completes "the content is ..."."""

    TEXT = "text"
    EMPTY = "empty"
    PDF = "a PDF"
    DOCX = "a Word document"
    XLSX = "an Excel workbook"
    PPTX = "a PowerPoint presentation"
    ODT = "an OpenDocument text"
    ODS = "an OpenDocument spreadsheet"
    ODP = "an OpenDocument presentation"
    EPUB = "an e-book"
    ZIP = "a zip archive"
    TAR = "a tar archive"
    COMPRESSED = "a compressed file"
    PACKED = "an archive of a kind that is not unpacked"
    XLS = "a workbook of an old Excel version"
    OFFICE_97 = "a document of an old Office version"
    MSG = "an Outlook message"
    ENCRYPTED_OFFICE = "an encrypted Office document"
    RTF = "an RTF document"
    IMAGE = "a picture"
    HTML = "a web page"
    MHTML = "a saved web page"
    MAIL = "a mail"
    MAILBOX = "a mailbox"
    NOTEBOOK = "a notebook"
    JSON = "JSON"
    XML = "XML"
    OTHER = "binary"

    @property
    def suffix(self) -> str:
        """The suffix that files of this kind have, "" where there is no single one."""
        return _SUFFIXES.get(self, "")


_SUFFIXES = {
    **{
        Kind[name.upper()]: f".{name}"
        for name in "pdf docx xlsx pptx odt ods odp epub zip tar xls msg rtf html mhtml json xml".split()
    },
    Kind.TEXT: ".txt",
    Kind.MAIL: ".eml",
    Kind.MAILBOX: ".mbox",
    Kind.NOTEBOOK: ".ipynb",
    Kind.COMPRESSED: ".gz",
}


def kind_of(data: bytes) -> Kind:
    """The kind of a file. TEXT means only that nothing speaks against it: the decoder decides (encoding.py)."""
    if not data:
        return Kind.EMPTY
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(data)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _kind_of_ole(data)
    signed = next((kind for signature, kind in _SIGNATURES if re.match(signature, data)), None)
    if signed:
        return Kind[signed]
    if _is_pdf(data):
        return Kind.PDF
    # Many signatures are two or three letters ("BM", "ID3"), with which a text may begin as well: then no control byte follows.
    if _CONTROLS.search(data[:4096]) and (guess := filetype.guess(data)):
        return Kind.IMAGE if guess.mime.startswith("image/") else Kind.OTHER
    return Kind.TEXT


def _is_pdf(data: bytes) -> bool:
    """Some programs put bytes before a PDF, and readers forgive it; a text that only speaks of one is none."""
    place = data[:1024].find(b"%PDF-")
    if place < 0:
        return False
    return not data[:place].strip(b"\xef\xbb\xbf \t\r\n\0") or bool(_PDF_PARTS.search(data))


def _kind_of_zip(data: bytes) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            mimetype = _head(archive, "mimetype") if "mimetype" in names else b""
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, EOFError):
        return Kind.ZIP
    known = _MIMETYPES.get(mimetype.strip().removesuffix(b"-template"))
    if known:
        return Kind[known]
    for folder, kind in (("word/", Kind.DOCX), ("xl/", Kind.XLSX), ("ppt/", Kind.PPTX)):
        if "[Content_Types].xml" in names and any(name.startswith(folder) for name in names):
            return kind
    return Kind.ZIP


def _head(archive: zipfile.ZipFile, member: str) -> bytes:
    """The first bytes of a member; b"" of one that is damaged."""
    import zlib

    try:
        with archive.open(member) as part:
            return part.read(100)
    except zlib.error:
        return b""


def _kind_of_ole(data: bytes) -> Kind:
    """By the streams at the root: documents that are embedded lie deeper."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            names = {path[0].lower() for path in file.listdir() if len(path) == 1}
    except (OSError, ValueError, IndexError, TypeError, RecursionError, MemoryError):
        names = set()
    if "encryptedpackage" in names or (not names and _UTF_16_NAME in data):
        return Kind.ENCRYPTED_OFFICE
    if "__properties_version1.0" in names:
        return Kind.MSG
    return Kind.XLS if names & {"workbook", "book"} else Kind.OFFICE_97
