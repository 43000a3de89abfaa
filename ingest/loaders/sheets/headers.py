"""Which rows of a block are the names of its columns, and which the title above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ingest.loaders.sheets.grid import Row
from language import width

MAX_NAME = 120
"""Width of a cell up to which it may be the name of a column."""
_MAX_TITLES = 5
_MAX_DEPTH = 4
_NUMBER = re.compile(r"[(+-]*\s?[^\w\s()+-]{0,3}\s?\d[\d., '\u00a0]*(?:[eE][-+]?\d+)?\s?(?:[%‰)]|[^\w\s]{1,3}|[元円万亿])*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?")
_NONE = re.compile(r"[-–—]+|#?n/?a[.!?]?", re.IGNORECASE)
_PERIOD = re.compile(r"(?:19|20)\d{2}(?:-\d{2}-\d{2})?")


@dataclass(frozen=True)
class Header:
    """The names of a table's columns, "" where one has none, by place; `depth` rows hold them, 0 when none does."""

    names: Sequence[str]
    columns: frozenset[int]
    depth: int

    def name(self, place: int) -> str:
        """The name of a column."""
        return self.names[place] if place < len(self.names) else ""


def is_value(cell: str) -> bool:
    """Whether a cell is a number, an amount, a date or a time, and so rather no name."""
    return bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell) or _NONE.fullmatch(cell))


def titles(rows: Sequence[Row]) -> int:
    """How many rows at the start are lines above a table: one cell at its left, or one that is merged, and then a wider row."""
    left = min((row.columns[0] for row in rows), default=0)
    count = 0
    for row in rows[:_MAX_TITLES]:
        columns = row.columns
        if len(columns) > 1 or not (columns[0] == left or any(first == columns[0] for first, _ in row.spans)) or row.lent:
            break
        count += 1
    return count if count < len(rows) and len(rows[count].columns) > 1 else 0


def header_of(rows: Sequence[Row]) -> Header | None:
    """The header of a table that begins with these rows; None when there is none, or nothing below it."""
    if len(rows) < 2:
        return None
    depth = _depth(rows)
    named = rows[:depth]
    if not all(map(may_name, named)):
        return None
    body = rows[depth:]
    if all(list(row.cells) == list(rows[0].cells) for row in body):
        return None
    columns = frozenset(place for row in rows for place in row.columns)
    if depth == 1 and _seen_again(named[0], body):
        return None
    return Header(_unique(_joined(named, max(columns) + 1)), columns, depth)


def is_convincing(header: Header, body: Sequence[Row]) -> bool:
    """Whether the rows below differ from the header in kind: words above, numbers or dates below."""
    for place in header.columns:
        below = [row.cells[place] for row in body if place < len(row.cells) and row.cells[place]]
        if header.name(place) and below and 2 * sum(map(is_value, below)) >= len(below):
            return True
    return False


def may_name(row: Row) -> bool:
    """Whether a row is words, short ones; years and days may be among them."""
    cells = [row.cells[place] for place in row.columns]
    words = [cell for cell in cells if not is_value(cell)]
    return bool(words) and all(width(cell) <= MAX_NAME and (not is_value(cell) or _PERIOD.fullmatch(cell)) for cell in cells)


def _depth(rows: Sequence[Row]) -> int:
    """How many rows the header has: more than one where names are merged over several columns, or go on in the row below."""
    depth = 1
    while depth < min(_MAX_DEPTH, len(rows) - 1) and may_name(rows[depth]):
        above, below = rows[depth - 1], rows[depth]
        over = [span for span in above.spans if above.cells[span[0]] and span[0] not in above.lent]
        merged = any(first <= place <= last for first, last in over for place in below.columns)
        if not (merged or _goes_on(rows, depth)):
            break
        depth += 1
    return depth


def _goes_on(rows: Sequence[Row], depth: int) -> bool:
    """Whether this row names columns that those above leave without a name, and that hold numbers or dates below."""
    named = {place for row in rows[:depth] for place in row.columns}
    fresh = [place for place in rows[depth].columns if place not in named]
    below = [[row.cells[place] for row in rows[depth + 1 :] if place < len(row.cells) and row.cells[place]] for place in fresh]
    of_values = [2 * sum(map(is_value, cells)) >= len(cells) for cells in below if cells]
    return bool(of_values) and 2 * sum(of_values) >= len(of_values)


def _seen_again(header: Row, body: Sequence[Row]) -> bool:
    """Whether a cell comes again below, in its column: then it is a value; unless the whole row does, as on a new page."""
    below = [row for row in body if list(row.cells) != list(header.cells)]
    return any(
        place < len(row.cells) and row.cells[place] == header.cells[place] for place in header.columns[1:] for row in below
    )


def _joined(rows: Sequence[Row], count: int) -> list[str]:
    """The names of the columns, of several rows from the top down."""
    names: list[list[str]] = [[] for _ in range(count)]
    for number, row in enumerate(rows):
        cells = [*row.cells, *[""] * (count - len(row.cells))][:count]
        if number + 1 < len(rows) and _repeats(rows[number + 1]):
            cells = _spread(cells, rows[number + 1].columns)
        for first, last in row.spans:
            cells[first : last + 1] = [cells[first]] * (min(last + 1, count) - first) if first < count else []
        for place, cell in enumerate(cells):
            name = " ".join(cell.split())
            if name and name not in names[place]:
                names[place].append(name)
    return [" / ".join(parts).rstrip(":： ") for parts in names]


def _spread(cells: Sequence[str], below: Sequence[int]) -> list[str]:
    """Names that stand over several columns, without being merged, in each of these; `below` are the columns of the row below.

    Columns without an empty one between them are a group. Its only name is that of all, wherever it stands; of several, each
    goes on to the next one. If the first column has none, it may be either way, and nothing is guessed.
    """
    found = list(cells)
    groups: list[list[int]] = []
    for place in below:
        if groups and place == groups[-1][-1] + 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    for group in groups:
        given = [found[place] for place in group]
        if sum(map(bool, given)) == 1:
            given = [max(given)] * len(group)
        elif given[0]:
            given = list(accumulate(given, _or_before))
        for place, name in zip(group, given, strict=True):
            found[place] = name
    return found


def _or_before(before: str, cell: str) -> str:
    return cell or before


def _repeats(row: Row) -> bool:
    """Whether names come twice in a row, so that they need those above them."""
    names = [row.cells[place] for place in row.columns]
    return len(set(names)) < len(names)


def _unique(names: Sequence[str]) -> list[str]:
    """A repeated name is told apart by its place."""
    seen: set[str] = set()
    found = []
    for place, name in enumerate(names):
        found.append(f"{name} {place + 1}" if name and name in seen else name)
        seen.add(name)
    return found
