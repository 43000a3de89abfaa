"""Workbooks, as a Document a sheet: Excel (.xlsx, .xlsm, .xls) and OpenDocument (.ods)."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.errors import LoadError, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.content import Kind, kind_of
from ingest.loaders.nest import escape_text
from ingest.loaders.odf import open_odf, title_of
from ingest.loaders.ooxml import core_title
from ingest.loaders.package import Package, password_needed, transitional
from ingest.loaders.sheets import ods, xlsx
from ingest.loaders.sheets.grid import Sheet
from ingest.loaders.sheets.rows import RowWriter
from ingest.loaders.sheets.xls import read_xls

HIDDEN = "(hidden sheet)"


class SpreadsheetLoader(FileLoader):
    """Each sheet is a Document in Markdown below a heading with its name; a row is a paragraph of "header: value" lines.

    metadata["sheet"] is the name, metadata["rows"] are (row, start, end). Texts in boxes on a sheet follow it as a Document of
    their own. Which kind of workbook it is, its bytes tell.
    """

    def lazy_load(self) -> Iterator[Document]:
        """The sheets that have a value. Raises TooLarge, EncryptedFile or UnreadableFile."""
        kind = kind_of(self.data)
        try:
            yield from self._sheets(kind)
        except (LoadError, MemoryError):
            raise
        except Exception as error:  # parsers of foreign input raise anything
            if "encrypted" in str(error).lower() and kind is Kind.XLS:
                raise password_needed(self.name) from error
            remedy = "Open it in a spreadsheet program and save it again as .xlsx."
            raise UnreadableFile(self.name, "the workbook is damaged", remedy=remedy, code="damaged_workbook") from error

    def _sheets(self, kind: Kind) -> Iterator[Document]:
        title: str | None = None
        writer = RowWriter(size=self.settings.chunk_size, markdown=True)
        if kind is Kind.XLS:
            sheets = read_xls(self.data)
        elif kind is Kind.ODS:
            package = open_odf(self.name, self.data, self.settings.parse, streamed=ods.STREAMED)
            sheets, title = ods.read_ods(package), title_of(package)
        else:
            package = Package(self.name, self.data, self.settings.parse, streamed=xlsx.STREAMED)
            sheets, title = xlsx.read_xlsx(package, transitional(package, self.data)), core_title(package)
        empty = True
        for sheet in sheets:
            written = writer.write(sheet.rows, _heading(sheet))
            if written.rows:
                empty = False
                yield self.document(written.text, "markdown", title=title, sheet=sheet.name, rows=written.rows)
            if sheet.boxes:
                empty = False
                heading = [] if written.rows else [written.text]
                yield self.document(
                    "\n\n".join([*heading, *(escape_text(box).text for box in sheet.boxes)]), "markdown", title=title
                )
        if empty:
            yield self.document("", "markdown", title=title)


def _heading(sheet: Sheet) -> str:
    return f"{sheet.name} {HIDDEN}" if sheet.hidden else sheet.name
