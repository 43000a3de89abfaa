"""Rows of a table that are stored as paragraphs of "name: value" lines (ingest/loaders/sheets), as a table again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count

from ui.excerpts import Span

SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xltx", ".xls", ".ods"})
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_LINE = re.compile(r"[^\n]+")
_NAME = re.compile(r"([^\n]{1,150}?):(?: |$)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+")
_MOST_COLUMNS = 60


@dataclass(frozen=True)
class TableRow:
    """A row: `text[start:end]`, and where in the text its values are, by the names of their columns."""

    start: int
    end: int
    cells: dict[str, Span]


@dataclass
class Group:
    """Rows below each other that have columns in common, under a title."""

    title: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[TableRow] = field(default_factory=list)


def groups(text: str, window: Span) -> list[Group]:
    """The rows in the window of a sheet's text, in groups. A line without a name is in the column ""."""
    found: list[Group] = []
    for start, end in (match.span() for match in _PARAGRAPH.finditer(text, *window)):
        heading = _HEADING.match(text, start, end)
        if heading:
            found.append(Group(title=text[heading.end() : end].strip()))
            continue
        row = _row(text, start, end)
        if not found or not _fits(found[-1], row):
            found.append(Group())
        found[-1].columns.extend(name for name in row.cells if name not in found[-1].columns)
        found[-1].rows.append(row)
    return found


def _row(text: str, start: int, end: int) -> TableRow:
    cells: dict[str, Span] = {}
    last = ""
    for line in _LINE.finditer(text, start, end):
        named = _NAME.match(text, line.start(), line.end())
        if named is None and cells:  # a value of several lines
            cells[last] = (cells[last][0], line.end())
            continue
        name = last = _unused(named[1].strip() if named else "", cells)
        cells[name] = (named.end() if named else line.start(), line.end())
    return TableRow(start, end, cells)


def _unused(name: str, cells: dict[str, Span]) -> str:
    """The name, with a number where two columns of a row have it."""
    return next(each for number in count(1) if (each := name if number == 1 else f"{name} ({number})") not in cells)


def _fits(group: Group, row: TableRow) -> bool:
    """Whether the row is one of the group's table: most of its columns are there."""
    if not group.rows:
        return True
    shared = sum(name in group.columns for name in row.cells)
    return 2 * shared >= len(row.cells) and len({*group.columns, *row.cells}) <= _MOST_COLUMNS
