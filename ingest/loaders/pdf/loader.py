"""PDF by pypdfium2, page by page: text in reading order; pages without any are read by OCR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2
from langchain_core.documents import Document

from ingest.loaders.base import FileLoader, sensible_title
from ingest.loaders.enclosed import enclosed
from ingest.loaders.layout import Block, compose
from ingest.loaders.layout.style import Style, style_of
from ingest.loaders.ocr import OcrUnavailable, Reading, read_picture
from ingest.loaders.pdf.extras import attachments_of, created_of, outline_of
from ingest.loaders.pdf.furniture import Furniture, find_furniture
from ingest.loaders.pdf.nonsense import agrees
from ingest.loaders.pdf.opening import PDFIUM, Pdf, open_pdf
from ingest.loaders.pdf.page import PageContent, read_page, render

_NOTHING = Furniture(frozenset(), ())


@dataclass(frozen=True)
class PageText:
    """The blocks of a page and what is told of it."""

    blocks: tuple[Block, ...]
    metadata: dict[str, Any]

    def but(self, **told: Any) -> PageText:
        """The same, with more told of it."""
        return replace(self, metadata=self.metadata | told)


class PdfLoader(FileLoader):
    """One Document a page, pages counted from 1; a page without any text is "".

    Files that it carries follow, without a page. All are "markdown" when it has such, headings or tables, else "text". Metadata
    beside the usual: author, created, `repeated` (rows of headers and footers that were left out), `ocr_confidence` (0 to 1, of
    a page read by OCR), and `ocr_needed` (why a page that needs OCR was not read: off, missing or failed; "nonsense_" stands
    before that where the page has a text, but its fonts do not tell the letters); `damaged` of a page that could not be read,
    and of all where the file lost its end.
    """

    def lazy_load(self) -> Iterator[Document]:
        """The pages in order. Raises EncryptedFile when a password is needed, UnreadableFile when nothing can be recovered."""
        with PDFIUM:
            pdf = open_pdf(self.name, self.data, self.password)
        try:
            yield from self._documents(pdf)
        finally:
            with PDFIUM:
                pdf.close()

    def _documents(self, pdf: Pdf) -> Iterator[Document]:
        with PDFIUM:
            count, title = len(pdf), pdf.get_metadata_value("Title")
            about = {"author": sensible_title(pdf.get_metadata_value("Author")), "created": created_of(pdf)}
            outline, attachments = outline_of(pdf), attachments_of(pdf)
        contents = [self._content(pdf, index) for index in range(count)]
        furniture = find_furniture(
            {number: (page.readings[0].runs, page.height) for number, page in enumerate(contents, start=1) if page.readings}
        )
        style = style_of(([run for reading in page.readings for run in reading.runs] for page in contents), outline)
        pages = [_page_text(page, furniture.get(n, _NOTHING), style, n) for n, page in enumerate(contents, start=1)]
        is_markdown = bool(attachments) or any(block.kind in ("heading", "table") for page in pages for block in page.blocks)
        for index, page in enumerate(pages):
            needed, nonsense = contents[index].needs_ocr, contents[index].nonsense
            done = self._read(pdf, index, page, nonsense=nonsense) if needed else page
            text = "\n\n".join(block.markdown() if is_markdown else block.text for block in done.blocks)
            damaged = pdf.damaged or contents[index].damaged or None
            told = {**about, **done.metadata, "damaged": damaged}
            yield self.document(text, "markdown" if is_markdown else "text", title=title, page=index + 1, **told)
        yield from enclosed(self, attachments)

    @staticmethod
    def _content(pdf: pypdfium2.PdfDocument, index: int) -> PageContent:
        with PDFIUM:
            return read_page(pdf, index)

    def _read(self, pdf: pypdfium2.PdfDocument, index: int, page: PageText, *, nonsense: bool) -> PageText:
        """The page as OCR reads it; what its text layer says where OCR cannot, finds nothing, or finds the same."""
        kind = "nonsense_" if nonsense else ""
        if not self.settings.ocr.enabled:
            return page.but(ocr_needed=f"{kind}off")
        try:
            with PDFIUM:
                picture = render(pdf, index)
            found: Reading = read_picture(picture, self.settings.ocr)
        except OcrUnavailable as error:
            return page.but(ocr_needed=f"{kind}{error.why}")
        except pypdfium2.PdfiumError:
            return page.but(ocr_needed=f"{kind}failed")
        if found.confidence is None:
            return page.but(ocr_needed="nonsense_failed") if nonsense else page
        if nonsense and agrees("".join(block.text for block in page.blocks), found.text):
            return page
        return replace(page.but(ocr_confidence=found.confidence), blocks=found.blocks)


def _page_text(page: PageContent, gone: Furniture, style: Style, number: int) -> PageText:
    blocks: list[Block] = []
    for reading in page.readings:
        kept = [run for run in reading.runs if id(run) not in gone.runs]
        blocks.extend(compose(kept, reading.rules, style=style, page=number))
    blocks.extend(Block("text", note) for note in _unsaid(page.notes, blocks))
    return PageText(tuple(blocks), {"repeated": list(gone.texts)} if gone.texts else {})


def _unsaid(notes: Sequence[str], blocks: Sequence[Block]) -> list[str]:
    """The values and comments that the page's own text does not show already."""
    shown = {" ".join(block.text.split()) for block in blocks}
    return [note for note in notes if not any(" ".join(note.split()) in text for text in shown)]
