"""Tables that stand side by side on a sheet, with an empty column between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.loaders.sheets.grid import Block, Row
from ingest.loaders.sheets.headers import header_of, is_value


def side_by_side(block: Block) -> Iterator[Block]:
    """The tables of a block, from left to right: the block itself unless each part makes a table without the others.

    A part does if it has names for its columns, and words in the first: columns of numbers belong to the words at their left.
    """
    groups = _groups(block.rows) if block.whole else []
    parts = [_part(block.rows, first, last) for first, last in groups]
    if len(parts) > 1 and all(map(_stands_alone, parts)):
        yield from (Block(part) for part in parts)
    else:
        yield block


def _groups(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """First and last of columns without an empty one between them."""
    used = sorted(
        {place for row in rows for place in row.columns} | {place for row in rows for span in row.spans for place in span}
    )
    found: list[tuple[int, int]] = []
    for place in used:
        if found and place == found[-1][1] + 1:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found


def _part(rows: Sequence[Row], first: int, last: int) -> list[Row]:
    """The rows with these columns alone, which stay in their places."""
    cut = [
        replace(row, cells=["" if place < first else cell for place, cell in enumerate(row.cells[: last + 1])]) for row in rows
    ]
    return [row for row in cut if any(row.cells)]


def _stands_alone(rows: Sequence[Row]) -> bool:
    header = header_of(rows)
    if header is None or len(header.columns) < 2:
        return False
    first = min(header.columns)
    below = [row.cells[first] for row in rows[header.depth :]]
    return sum(bool(cell) and not is_value(cell) for cell in below) > len(below) / 2
