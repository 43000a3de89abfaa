"""Tables of text documents and slides as Markdown, with cells that are merged or hold a table themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.loaders.layout.tables import markdown_table

MOST_COLUMNS = 256
"""More are an attempt to fill the memory: the width of a merged cell is a number that anybody can write."""


@dataclass(frozen=True)
class Cell:
    """A cell's text. `continued` says that it is the lower part of a cell that is merged downwards; `down` counts its rows."""

    text: str
    across: int = 1
    down: int = 1
    continued: bool = False


def table_markdown(rows: Iterable[Sequence[Cell]]) -> str:
    """The table; "" without text. A cell merged downwards is in each of its rows, one merged to the right in its first column.

    A table of one column is a box around text: its cells are paragraphs.
    """
    grid = [row for row in _grid(rows) if any(row)]
    if not grid:
        return ""
    width = max(len(row) for row in grid)
    used = [place for place in range(width) if any(row[place] for row in grid if place < len(row))]
    full = [[row[place] if place < len(row) else "" for place in used] for row in grid]
    if len(used) == 1:
        return "\n\n".join(dict.fromkeys(row[0] for row in full))
    return markdown_table(full)


def _grid(rows: Iterable[Sequence[Cell]]) -> Iterator[list[str]]:
    """The texts by row and column."""
    hanging: dict[int, Cell] = {}
    above: list[str] = []
    for row in rows:
        found: list[str] = []
        below: dict[int, Cell] = {}
        for cell in [*row, None]:
            while len(found) in hanging:
                _put(hanging[len(found)], found, below)
            if cell is not None:
                text = above[len(found)] if cell.continued and len(found) < len(above) else cell.text
                _put(replace(cell, text=text, down=1 if cell.continued else cell.down), found, below)
        yield found
        above, hanging = found, below


def _put(cell: Cell, row: list[str], below: dict[int, Cell]) -> None:
    """Adds a cell to a row, and to what hangs down into the row below."""
    if cell.down > 1:
        below[len(row)] = replace(cell, down=cell.down - 1)
    row.extend([cell.text, *[""] * (min(max(cell.across, 1), MOST_COLUMNS) - 1)])
