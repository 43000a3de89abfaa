"""Sheets of workbooks of old Excel versions (.xls), by xlrd."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from typing import Any

from ingest.loaders.sheets.grid import Merged, Row, Sheet, tidy_cell, with_merged
from ingest.loaders.sheets.numbers import shown

_VERY_LONG_AGO = 1.0
"""Below this a date number is a time of day."""


def read_xls(data: bytes) -> Iterator[Sheet]:
    """The sheets in order. Raises what xlrd raises: XLRDError, with "encrypted" in its text where a password is needed."""
    import xlrd

    book = xlrd.open_workbook(file_contents=data, formatting_info=True, on_demand=True, logfile=io.StringIO())
    for number in range(book.nsheets):
        sheet = book.sheet_by_index(number)
        merged = [Merged(top + 1, left, bottom, right - 1) for top, bottom, left, right in sheet.merged_cells]
        yield Sheet(sheet.name, with_merged(_rows(book, sheet), deque(sorted(merged))), hidden=bool(sheet.visibility))
        book.unload_sheet(number)


def _rows(book: Any, sheet: Any) -> Iterator[Row]:
    notes = sheet.cell_note_map
    for number in range(sheet.nrows):
        cells = [_shown(book, cell) for cell in sheet.row(number)]
        for place, cell in enumerate(cells):
            note = notes.get((number, place))
            if note is not None and (words := " ".join(tidy_cell(note.text).split())):
                signed = words if not note.author or words.startswith(note.author) else f"{note.author}: {words}"
                cells[place] = f"{cell} [{signed}]".lstrip()
        yield Row(number + 1, cells)


def _shown(book: Any, cell: Any) -> str:
    import xlrd

    if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
        return ""
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return tidy_cell(cell.value)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return shown(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR!"))
    if cell.ctype == xlrd.XL_CELL_DATE:
        return _date(book, cell.value)
    style = book.format_map.get(book.xf_list[cell.xf_index].format_key)
    return shown(cell.value, style.format_str if style else "General")


def _date(book: Any, value: float) -> str:
    import xlrd

    try:
        moment = xlrd.xldate_as_datetime(value, book.datemode)
    except (xlrd.XLDateError, OverflowError, ValueError):
        return shown(value)
    return shown(moment.time() if 0 <= value < _VERY_LONG_AGO else moment)
