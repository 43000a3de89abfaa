"""Which rows are read one after the other: columns, and what spans them.

A gutter is a vertical strip that hardly any run crosses, with lines of prose on both sides. What crosses it (a heading, a
table) cuts the page into bands; in each band the left column comes before the right one, and each side is looked at again. A
table has strips as well, but its cells are short and stand level with their neighbours: it stays one region with whole rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from statistics import median

from ingest.loaders.layout.runs import Row, Run, leading, rows_of, usual_size
from language import width

_LEAST_ROWS = 3
_PROSE_WIDTH = 18  # of Latin letters: cells are shorter
_FULL = 0.55  # of the column's width: prose fills its lines
_MOST_CROSSING = 0.6  # of all runs: more, and the gutter is an accident
_MOST_TRIED = 40
_TOLERANCE = 1.0
_LARGER = 1.15  # than the text: a heading
_EVEN_LINES = 2.5  # by which columns differ that a program has evened out


def regions(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs of one column after the other, in reading order; no run is left out."""
    gutter = _gutter(runs)
    if gutter is None:
        if runs:
            yield list(runs)
        return
    for band, crosses in _bands(runs, gutter):
        left = [run for run in band if run.x1 <= gutter + _TOLERANCE]
        right = [run for run in band if run.x1 > gutter + _TOLERANCE]
        if crosses or not left or not right or _is_table(left, right):
            yield band
        else:
            yield from regions(left)
            yield from regions(right)


def _gutter(runs: Sequence[Run]) -> float | None:
    """Where the least runs cross among the strips that have prose on both sides."""
    if len(runs) < 2 * _LEAST_ROWS:
        return None
    least = 0.3 * usual_size(runs)
    for x in _strips(runs)[:_MOST_TRIED]:
        left = [run for run in runs if run.x1 <= x + _TOLERANCE]
        right = [run for run in runs if run.x0 >= x]
        if min(len(left), len(right)) < _LEAST_ROWS or min(run.x0 for run in right) - x < least - _TOLERANCE:
            continue
        if _is_prose(left) and _is_prose(right):
            return x
    return None


def _strips(runs: Sequence[Run]) -> list[float]:
    """Where runs end, by how many others cross there, from the least."""
    starts = sorted(run.x0 for run in runs)
    ends = sorted(run.x1 - _TOLERANCE for run in runs)
    places = [end + _TOLERANCE for end in sorted({round(run.x1) for run in runs})[:-1]]
    crossing = {x: bisect_left(starts, x) - bisect_right(ends, x) for x in places}
    return sorted((x for x in places if crossing[x] <= _MOST_CROSSING * len(runs)), key=lambda x: (crossing[x], x))


def _is_prose(runs: Sequence[Run]) -> bool:
    """Whether the pieces are long and fill most of the width, as lines of prose do, in one column or more."""
    rows = rows_of(runs)
    if len(rows) < _LEAST_ROWS:
        return False
    wide = max(row.x1 for row in rows) - min(row.x0 for row in rows)
    filled = median(sum(cell.x1 - cell.x0 for cell in row.cells) for row in rows)
    return filled >= _FULL * wide and _has_long_pieces(rows)


def _has_long_pieces(rows: Sequence[Row]) -> bool:
    return median(width(cell.text) for row in rows for cell in row.cells) >= _PROSE_WIDTH


def _is_table(left: Sequence[Run], right: Sequence[Run]) -> bool:
    """Whether a band's sides belong together row by row: level with each other, and one of them no prose."""
    rows, sides = rows_of([*left, *right]), (rows_of(left), rows_of(right))
    shared = len(sides[0]) + len(sides[1]) - len(rows)
    if shared < 0.6 * min(map(len, sides)):
        return False
    return not all(map(_has_long_pieces, sides))


def _bands(runs: Sequence[Run], gutter: float) -> Iterator[tuple[list[Run], bool]]:
    """From top to bottom: runs beside the gutter, and rows with a run that crosses it (True)."""
    crossing = [run for run in runs if run.x0 < gutter < run.x1 - _TOLERANCE]
    chosen = set(map(id, crossing))
    rest = [run for run in runs if id(run) not in chosen]
    spanning: list[Run] = []
    for row in rows_of(crossing):
        above = [run for run in rest if run.middle < row.top]
        level = [run for run in rest if row.top <= run.middle <= row.bottom]
        if above and spanning:
            yield spanning, True
            spanning = []
        columns, heading = _parted(above, _below_columns(above, gutter, goes_on=True))
        if columns:
            yield columns, False
        spanning += [*heading, *row.runs, *level]
        taken = set(map(id, above + level))
        rest = [run for run in rest if id(run) not in taken]
    if spanning:
        yield spanning, True
    columns, section = _parted(rest, _below_columns(rest, gutter, goes_on=False))
    if columns:
        yield columns, False
    if section:
        yield section, True


def _below_columns(runs: Sequence[Run], gutter: float, *, goes_on: bool) -> float | None:
    """Where a heading begins that stands in the left column, but below both: it is that of a section across the page.

    Unless such a section `goes_on` below the runs, it is known by columns that end at about one height, as those do that a
    program has evened out; else the right column may end anywhere, and the heading is one within the left.
    """
    least = _LARGER * usual_size(runs)
    rows = rows_of(runs)
    for place, row in enumerate(rows[1:], start=1):
        if row.size < least or any(run.x1 > gutter + _TOLERANCE for below in rows[place:] for run in below.runs):
            continue
        above = [run for before in rows[:place] for run in before.runs]
        left = max((run.bottom for run in above if run.x1 <= gutter + _TOLERANCE), default=0.0)
        right = max((run.bottom for run in above if run.x1 > gutter + _TOLERANCE), default=0.0)
        even = goes_on or abs(left - right) <= _EVEN_LINES * leading(rows)
        if left and right and even and row.top >= max(left, right) - _TOLERANCE:
            return row.top
    return None


def _parted(runs: Sequence[Run], top: float | None) -> tuple[list[Run], list[Run]]:
    """The runs above and from `top` on."""
    if top is None:
        return list(runs), []
    return [run for run in runs if run.middle < top], [run for run in runs if run.middle >= top]
