"""A PDF opened by pdfium, with its password if it has one."""

from __future__ import annotations

import threading

import pypdfium2
from pydantic import SecretStr
from pypdfium2 import raw

from ingest.errors import EncryptedFile, LoadError, UnreadableFile, wrong_password
from ingest.loaders.pdf.repair import repaired

PDFIUM = threading.RLock()
"""pdfium is not thread-safe, not even for two different documents."""
_END, _TAIL = b"%%EOF", 2048
"""What a PDF ends with, and in how many bytes it is looked for, as some programs write more behind it."""
_PRINT_AGAIN = "Open it in a PDF reader and save or print it as a new PDF."


class Pdf(pypdfium2.PdfDocument):  # type: ignore[misc]
    """An open document, to be closed. One that is `damaged` may lack parts of what was in it."""

    damaged = False


def open_pdf(name: str, data: bytes, password: SecretStr | None) -> Pdf:
    """The document, as much of it as can be read. Raises EncryptedFile when another password is needed, UnreadableFile."""
    given = password.get_secret_value() if password else None
    try:
        return _opened(data, given, damaged=_END not in data[-_TAIL:])
    except pypdfium2.PdfiumError as error:
        refusal = _refusal(name, data, given, error)
        mended = repaired(data) if isinstance(refusal, UnreadableFile) else None
        if mended is None:
            raise refusal from error
    try:
        return _opened(mended, given, damaged=True)
    except pypdfium2.PdfiumError as error:
        raise refusal from error


def _opened(data: bytes, password: str | None, *, damaged: bool) -> Pdf:
    pdf = Pdf(data, password=password)
    pdf.damaged = damaged
    return pdf


def _refusal(name: str, data: bytes, given: str | None, error: pypdfium2.PdfiumError) -> LoadError:
    if _opens(data, given):  # then the error is that of the file before
        return UnreadableFile(name, "the PDF has no pages", remedy="Export it again from where it comes from.", code="no_pages")
    if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        if given:
            return wrong_password(name)
        remedy = "Give the password, or save a copy without it and upload that."
        return EncryptedFile(name, "the PDF is protected by a password", remedy=remedy, code="password")
    return UnreadableFile(name, "the PDF is damaged and could not be opened", remedy=_PRINT_AGAIN, code="damaged_pdf")


def _opens(data: bytes, password: str | None) -> bool:
    """Whether pdfium itself opens it: pypdfium2 refuses what has no pages, and tells the last error, which is another file's."""
    opened = raw.FPDF_LoadMemDocument64(data, len(data), (password or "").encode() + b"\0")
    if opened:
        raw.FPDF_CloseDocument(opened)
    return bool(opened)
