"""What a file is by its bytes, whatever its name says."""

from __future__ import annotations

import io
import re
import zipfile
from enum import Enum

import filetype

_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UTF_16_NAME = "EncryptedPackage".encode("utf-16-le")


class Kind(Enum):
    """The kinds that need telling apart; the value completes "the content is ..."."""

    TEXT = "text"
    EMPTY = "empty"
    PDF = "a PDF"
    DOCX = "a Word document"
    XLSX = "an Excel workbook"
    PPTX = "a PowerPoint presentation"
    ZIP = "a zip archive"
    OFFICE_97 = "a document of an old Office version"
    ENCRYPTED_OFFICE = "an encrypted Office document"
    RTF = "an RTF document"
    IMAGE = "a picture"
    OTHER = "binary"

    @property
    def suffix(self) -> str:
        """The suffix that files of this kind have, "" where there is no single one."""
        return {Kind.PDF: ".pdf", Kind.DOCX: ".docx", Kind.TEXT: ".txt"}.get(self, "")


def kind_of(data: bytes) -> Kind:
    """The kind of a file. TEXT means only that nothing speaks against it: the decoder decides (encoding.py)."""
    if not data:
        return Kind.EMPTY
    if b"%PDF-" in data[:1024]:  # as readers do: some programs put bytes before it
        return Kind.PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(data)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return Kind.ENCRYPTED_OFFICE if _UTF_16_NAME in data else Kind.OFFICE_97
    if data.startswith(b"{\\rtf"):
        return Kind.RTF
    # Many signatures are two or three letters ("BM", "ID3"), with which a text may begin as well: then no control byte follows.
    if _CONTROLS.search(data[:4096]) and (guess := filetype.guess(data)):
        return Kind.IMAGE if guess.mime.startswith("image/") else Kind.OTHER
    return Kind.TEXT


def _kind_of_zip(data: bytes) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return Kind.ZIP
    for folder, kind in (("word/", Kind.DOCX), ("xl/", Kind.XLSX), ("ppt/", Kind.PPTX)):
        if "[Content_Types].xml" in names and any(name.startswith(folder) for name in names):
            return kind
    return Kind.ZIP
