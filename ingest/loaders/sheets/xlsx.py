"""Sheets of .xlsx workbooks, row by row by openpyxl's read-only mode, and what it leaves out: merged cells and comments."""

from __future__ import annotations

import io
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ingest.loaders.ooxml import main_part, related
from ingest.loaders.package import Package
from ingest.loaders.sheets.grid import Row, Sheet, tidy_cell, with_merged
from ingest.loaders.sheets.numbers import shown
from ingest.loaders.sheets.xlsx_extras import Extras, extras_of

if TYPE_CHECKING:
    from openpyxl import Workbook

_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
STREAMED = ("xl/worksheets/",)


def read_xlsx(package: Package, data: bytes) -> Iterator[Sheet]:
    """The sheets in order; each must be read before the next. Raises what openpyxl and lxml raise for damaged files."""
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of extensions that are not kept when saving
        values = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        formulas, parts = None, _parts(package)
        for sheet in values.worksheets:
            extras = extras_of(package, parts[sheet.title])
            if extras.not_computed and formulas is None:
                formulas = load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
            rows = _rows(sheet, extras, formulas if extras.not_computed else None)
            hidden = sheet.sheet_state != "visible"
            yield Sheet(sheet.title, with_merged(rows, deque(extras.merged)), hidden=hidden, boxes=extras.boxes)


def _parts(package: Package) -> dict[str, str]:
    """The parts of the sheets by their names."""
    workbook = main_part(package)
    others = related(package, workbook)
    sheets = package.xml(workbook).iter("{*}sheet")
    return {sheet.get("name"): others[sheet.get(_ID)][1] for sheet in sheets if sheet.get(_ID) in others}


def _rows(sheet: Any, extras: Extras, formulas: Workbook | None) -> Iterator[Row]:
    """The rows; a formula that was never computed, as in files that no spreadsheet program wrote, is shown itself."""
    sheet.reset_dimensions()  # some programs write wrong ones, at which rows would be cut off
    asked: Iterator[Sequence[Any]] = iter(())
    if formulas is not None:
        twin = formulas[sheet.title]
        twin.reset_dimensions()
        asked = twin.iter_rows()
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        values = [_shown(cell) for cell in cells]
        for place, cell in enumerate(next(asked, ())):
            if cell.data_type == "f" and not values[place]:
                values[place] = tidy_cell(str(cell.value))
        if extras.comments:
            values = [_with_comment(value, extras.comments.get((number, place))) for place, value in enumerate(values)]
        yield Row(number, values)


def _shown(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    return tidy_cell(value if isinstance(value, str) else shown(value, cell.number_format))


def _with_comment(value: str, comment: str | None) -> str:
    return f"{value} [{comment}]".lstrip() if comment else value
