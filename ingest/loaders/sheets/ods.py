"""Sheets of OpenDocument workbooks (.ods), row by row: of 100,000 rows no tree is built."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from lxml import etree

from ingest.loaders.odf import OFFICE, TABLE, TEXT, annotation, hidden_tables, paragraph_text
from ingest.loaders.package import Package
from ingest.loaders.sheets.grid import Merged, Row, Sheet, tidy_cell, with_merged
from ingest.loaders.sheets.numbers import shown

STREAMED = ("content.xml",)
MOST_COLUMNS = 16_384
MOST_REPEATED = 10_000
"""Rows that say the same, one after the other, are so many at most: the format may say "a million times"."""
_DURATION = re.compile(r"(-?)PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S")
_CELLS = (f"{TABLE}table-cell", f"{TABLE}covered-table-cell")


def read_ods(package: Package) -> Iterator[Sheet]:
    """The sheets in order; each must be read before the next. Raises what lxml raises for damaged files."""
    hidden = hidden_tables(package)
    with package.archive.open("content.xml") as stream:
        events = etree.iterparse(stream, events=("start", "end"), resolve_entities=False, no_network=True, remove_comments=True)
        for event, element in events:
            if event == "start" and element.tag == f"{TABLE}table":
                yield Sheet(element.get(f"{TABLE}name", ""), _rows(events), hidden=element.get(f"{TABLE}style-name") in hidden)


def _rows(events: Any) -> Iterator[Row]:
    merged: deque[Merged] = deque()
    yield from with_merged(_own_rows(events, merged), merged)


def _own_rows(events: Any, merged: deque[Merged]) -> Iterator[Row]:
    """The rows up to the end of the table; cells that are merged are made known before their row is given."""
    number, depth = 1, 1
    for event, element in events:
        if element.tag == f"{TABLE}table":
            depth += 1 if event == "start" else -1
            if not depth:
                return
        if event == "end" and element.tag == f"{TABLE}table-row" and depth == 1:
            repeated = _count(element, "number-rows-repeated")
            cells = _cells(element, number, merged)
            if cells:
                for again in range(min(repeated, MOST_REPEATED)):
                    yield Row(number + again, cells)
            number += repeated
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]


def _cells(row: Any, number: int, merged: deque[Merged]) -> list[str]:
    """The values up to the last one that is not empty."""
    found: list[str] = []
    place = 0
    for cell in row.iterchildren(*_CELLS):
        repeated = _count(cell, "number-columns-repeated")
        value = _shown(cell) if cell.tag == _CELLS[0] and place < MOST_COLUMNS else ""
        rows, columns = _count(cell, "number-rows-spanned"), _count(cell, "number-columns-spanned")
        if value and (rows > 1 or columns > 1):
            merged.append(Merged(number, place, number + rows - 1, min(place + columns, MOST_COLUMNS) - 1))
        if value:
            found.extend([""] * (place - len(found)))
            found.extend([value] * min(repeated, MOST_COLUMNS - place))
        place += repeated
    return found


def _count(element: Any, name: str) -> int:
    value = element.get(f"{TABLE}{name}", "1")
    return max(1, int(value)) if value.isdecimal() else 1


def _shown(cell: Any) -> str:
    """Dates in ISO form, all else as it was shown; its value if the program that wrote it did not say how."""
    kind = cell.get(f"{OFFICE}value-type")
    text = "\n".join(paragraph_text(paragraph) for paragraph in cell.iterchildren(f"{TEXT}p", f"{TEXT}h"))
    if kind == "date":
        day, _, clock = cell.get(f"{OFFICE}date-value", "").partition("T")
        text = f"{day} {clock.removesuffix(':00')[:8]}" if clock.strip("0:.") else day or text
    elif kind == "time":
        found = _DURATION.fullmatch(cell.get(f"{OFFICE}time-value", ""))
        text = text or (f"{found[1]}{int(found[2])}:{found[3]}" if found else "")
    elif kind in ("float", "percentage", "currency") and not text:
        text = _value(cell.get(f"{OFFICE}value", ""), kind)
    elif kind == "boolean" and not text:
        text = shown(cell.get(f"{OFFICE}boolean-value") == "true")
    elif kind == "string" and not text:
        text = cell.get(f"{OFFICE}string-value", "")
    notes = [annotation(note) for note in cell.iterchildren(f"{OFFICE}annotation")]
    return " ".join(filter(None, (tidy_cell(text), *(f"[{note}]" for note in notes if note))))


def _value(value: str, kind: str) -> str:
    try:
        return shown(float(value), "0.##%" if kind == "percentage" else "General")
    except ValueError:
        return value
