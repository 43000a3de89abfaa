"""PDF by pypdfium2, page by page."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pypdfium2
from langchain_core.documents import Document
from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

from ingest.errors import EncryptedFile, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean, fold_lookalikes
from language import width

_PDFIUM = threading.RLock()  # pdfium is not thread-safe, not even for two different documents
_WRAP_WIDTH = 40  # of Latin letters, a Chinese character being 2.5: a shorter line is a heading, a list item or a cell
_GOES_ON = re.compile("[\u3041-\u30ff\u3400-\u9fff，、]$")
_CONTINUES = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_PRINT_AGAIN = "Open it in a PDF reader and save or print it as a new PDF."


class PdfLoader(FileLoader):
    """One Document a page, pages counted from 1; a page without a text layer is "" (a scan needs OCR)."""

    def lazy_load(self) -> Iterator[Document]:
        """The pages in order. Raises EncryptedFile when a password is needed, UnreadableFile when nothing can be recovered."""
        with _PDFIUM:
            pdf = self._open()
            try:
                count, title = len(pdf), pdf.get_metadata_value("Title")
            except BaseException:
                pdf.close()
                raise
        try:
            for index in range(count):
                yield self.document(_page_text(pdf, index), "text", title=title, page=index + 1)
        finally:
            self._close(pdf)

    def _open(self) -> pypdfium2.PdfDocument:
        try:
            return pypdfium2.PdfDocument(self.data)
        except pypdfium2.PdfiumError as error:
            if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
                remedy = "Save a copy without the password and upload that."
                raise EncryptedFile(self.name, "the PDF is protected by a password", remedy=remedy, code="password") from error
            raise UnreadableFile(
                self.name,
                "the PDF is damaged and could not be opened",
                remedy=_PRINT_AGAIN,
                code="damaged_pdf",
            ) from error

    @staticmethod
    def _close(pdf: pypdfium2.PdfDocument) -> None:
        with _PDFIUM:
            pdf.close()


def _page_text(pdf: pypdfium2.PdfDocument, index: int) -> str:
    """The text of a page in the order of its content; a page that pdfium cannot parse has none."""
    with _PDFIUM:
        try:
            page = pdf[index]
        except pypdfium2.PdfiumError:
            return ""
        try:
            textpage = page.get_textpage()
            try:
                raw = textpage.get_text_range()
            finally:
                textpage.close()
        except pypdfium2.PdfiumError:
            return ""
        finally:
            page.close()
    return join_wrapped(fold_lookalikes(clean(raw)).strip())


def join_wrapped(text: str) -> str:
    """The text with long Chinese and Japanese lines joined to the next: a line end inside a word would hide it."""
    lines = text.split("\n")
    joined = [
        line if _GOES_ON.search(line) and width(line) >= _WRAP_WIDTH and _CONTINUES.match(following) else f"{line}\n"
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
    ]
    return "".join(joined).removesuffix("\n")
