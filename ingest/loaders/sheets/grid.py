"""Rows of a sheet, as every reader of a table format gives them, and the blocks of rows that belong together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

from ingest.loaders.clean import clean

SAMPLE = 500
"""Rows of a block that are looked at together; what follows them is read one by one."""


@dataclass(frozen=True)
class Row:
    """The values of a row as they are shown, "" where there is none. `number` is what a spreadsheet program shows, from 1.

    `spans` are the first and last column, from 0, of cells that are merged over several columns. `lent` are columns whose value
    stands in a row above that is merged with this one.
    """

    number: int
    cells: Sequence[str]
    spans: Sequence[tuple[int, int]] = ()
    lent: frozenset[int] = frozenset()

    @property
    def columns(self) -> list[int]:
        """The columns that have a value."""
        return [place for place, cell in enumerate(self.cells) if cell]


class Merged(NamedTuple):
    """Cells that are one, from (`row`, `column`) to (`last_row`, `last_column`); rows count from 1, columns from 0."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook; its rows can be read once. `boxes` are texts that lie on it, outside of its cells."""

    name: str
    rows: Iterator[Row]
    hidden: bool = False
    boxes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """Rows without an empty one between them. `rest` are those after the first `SAMPLE` of a long block."""

    rows: Sequence[Row]
    rest: Iterable[Row] = ()
    whole: bool = True


def tidy_cell(text: str) -> str:
    """A cell's text without blanks around it and without blank lines in it, which would end the row's paragraph."""
    if text.isprintable():  # most are, and then there is nothing to clean
        return text.strip()
    return "\n".join(line for line in (line.strip() for line in clean(text).split("\n")) if line)


def with_merged(rows: Iterable[Row], merged: deque[Merged]) -> Iterator[Row]:
    """The rows, with the value of cells that are merged downwards in each of them; `merged`, in order, may grow with the rows."""
    active: list[tuple[Merged, str]] = []
    for row in rows:
        active = [each for each in active if each[0].last_row >= row.number]
        while merged and merged[0].row <= row.number:
            area = merged.popleft()
            value = row.cells[area.column] if area.row == row.number and area.column < len(row.cells) else ""
            active.append((area, value))
        yield _lend(row, active) if active else row


def _lend(row: Row, active: Sequence[tuple[Merged, str]]) -> Row:
    cells, lent = list(row.cells), set()
    for area, value in active:
        if value and area.row < row.number:
            cells.extend([""] * (area.column + 1 - len(cells)))
            cells[area.column] = value
            lent.add(area.column)
    spans = tuple((area.column, area.last_column) for area, _ in active if area.last_column > area.column)
    return replace(row, cells=cells, spans=spans, lent=frozenset(lent))


def blocks(rows: Iterable[Row], *, gaps: bool) -> Iterator[Block]:
    """The blocks, without rows that have no value of their own; each must be read to its end before the next one.

    Without `gaps` all rows are one block.
    """
    source = _Source(row for row in rows if set(row.columns) - row.lent)
    while source.ahead is not None:
        block = source.block(gaps)
        first = list(islice(block, SAMPLE))
        following = next(block, None)
        yield Block(first, chain([following], block), whole=False) if following else Block(first)
        deque(block, maxlen=0)


class _Source:
    """Rows with the next one known."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self.ahead = next(rows, None)

    def block(self, gaps: bool) -> Iterator[Row]:
        """The rows up to the next empty one."""
        while (row := self.ahead) is not None:
            self.ahead = next(self._rows, None)
            yield row
            if gaps and self.ahead is not None and self.ahead.number > row.number + 1:
                return
