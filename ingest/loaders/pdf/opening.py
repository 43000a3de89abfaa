"""A PDF opened by pdfium, with its password if it has one."""

from __future__ import annotations

import threading

import pypdfium2
from pydantic import SecretStr
from pypdfium2 import raw

from ingest.errors import EncryptedFile, UnreadableFile, wrong_password

PDFIUM = threading.RLock()
"""pdfium is not thread-safe, not even for two different documents."""
_PRINT_AGAIN = "Open it in a PDF reader and save or print it as a new PDF."


def open_pdf(name: str, data: bytes, password: SecretStr | None) -> pypdfium2.PdfDocument:
    """The document, to be closed. Raises EncryptedFile when another password is needed, UnreadableFile when it is damaged."""
    given = password.get_secret_value() if password else None
    try:
        return pypdfium2.PdfDocument(data, password=given)
    except pypdfium2.PdfiumError as error:
        if _opens(data, given):  # then the error is that of the file before
            remedy = "Export it again from where it comes from."
            raise UnreadableFile(name, "the PDF has no pages", remedy=remedy, code="no_pages") from error
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            if given:
                raise wrong_password(name) from error
            remedy = "Give the password, or save a copy without it and upload that."
            raise EncryptedFile(name, "the PDF is protected by a password", remedy=remedy, code="password") from error
        reason = "the PDF is damaged and could not be opened"
        raise UnreadableFile(name, reason, remedy=_PRINT_AGAIN, code="damaged_pdf") from error


def _opens(data: bytes, password: str | None) -> bool:
    """Whether pdfium itself opens it: pypdfium2 refuses what has no pages, and tells the last error, which is another file's."""
    opened = raw.FPDF_LoadMemDocument64(data, len(data), (password or "").encode() + b"\0")
    if opened:
        raw.FPDF_CloseDocument(opened)
    return bool(opened)
