"""Tables: by the lines that are drawn around their cells, or by cells that stand below each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.loaders.layout.runs import Row, Rule, Run, rows_of

_NEAR = 3.0  # points: lines this near to each other are one
_LEAST_ROWS = 3  # of a table without lines
_AGREEING = 0.6  # of its rows have as many cells as it has columns


@dataclass(frozen=True)
class Grid:
    """A ruled table: where its columns and rows are parted, and the rules themselves."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    rules: tuple[Rule, ...]

    def holds(self, run: Run) -> bool:
        """Whether a run stands in it."""
        return self.xs[0] - _NEAR <= (run.x0 + run.x1) / 2 <= self.xs[-1] + _NEAR and self.ys[0] <= run.middle <= self.ys[-1]

    def cell_of(self, run: Run) -> tuple[int, int]:
        """The row and the column of a run, the upper left one of a merged cell."""
        across = (run.x0 + min(run.x1, run.x0 + run.size)) / 2
        row = max(sum(y <= run.middle for y in self.ys[1:-1]), 0)
        column = max(sum(x <= across for x in self.xs[1:-1]), 0)
        while row and not self._parted(row, column):
            row -= 1
        return row, column

    def _parted(self, row: int, column: int) -> bool:
        """Whether a line lies above a cell."""
        middle = (self.xs[column] + self.xs[column + 1]) / 2
        y = self.ys[row]
        return any(r.horizontal and abs(r.top - y) <= _NEAR and r.x0 - _NEAR <= middle <= r.x1 + _NEAR for r in self.rules)


def grids(rules: Sequence[Rule]) -> list[Grid]:
    """The ruled tables of a page: lines that touch each other, with two cells at least."""
    found = []
    for group in _touching(rules):
        xs = _merged(x for rule in group if not rule.horizontal for x in (rule.x0,))
        ys = _merged(y for rule in group if rule.horizontal for y in (rule.top,))
        if len(xs) > 2 and len(ys) > 2:
            found.append(Grid(xs, ys, tuple(group)))
    return found


def _touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    groups: list[list[Rule]] = []
    for rule in rules:
        near = [group for group in groups if any(_touch(rule, other) for other in group)]
        groups = [group for group in groups if not any(group is other for other in near)]
        groups.append([rule, *(other for group in near for other in group)])
    return groups


def _touch(a: Rule, b: Rule) -> bool:
    return a.x0 <= b.x1 + _NEAR and b.x0 <= a.x1 + _NEAR and a.top <= b.bottom + _NEAR and b.top <= a.bottom + _NEAR


def _merged(places: Iterator[float]) -> tuple[float, ...]:
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > _NEAR:
            merged.append(place)
    return tuple(merged)


def ruled_table(grid: Grid, runs: Sequence[Run]) -> list[list[str]]:
    """The rows of a ruled table; rows and columns without any text are left out."""
    cells: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        cells.setdefault(grid.cell_of(run), []).append(run)
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    return [[_cell_text(cells.get((row, column), ())) for column in columns] for row in rows]


def _cell_text(runs: Sequence[Run]) -> str:
    from ingest.loaders.layout.paragraphs import glue

    text = ""
    for row in rows_of(runs):
        line = row.text.replace("\t", " ").strip()
        text = glue(text, line) if text else line
    return text


def aligned(rows: Sequence[Row]) -> Iterator[tuple[bool, Sequence[Row]]]:
    """The rows in stretches: those of a table without lines (True) and the others."""
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and (len(rows[end].cells) > 1) == (len(rows[start].cells) > 1):
            end += 1
        stretch = rows[start:end]
        yield len(stretch) >= _LEAST_ROWS and aligned_table(stretch) is not None, stretch
        start = end


def aligned_table(rows: Sequence[Row]) -> list[list[str]] | None:
    """The cells of rows whose pieces stand below each other; None where that is not sure."""
    spans: list[list[float]] = []
    for x0, x1 in sorted((cell.x0, cell.x1) for row in rows for cell in row.cells):
        if spans and x0 <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], x1)
        else:
            spans.append([x0, x1])
    if len(spans) < 2 or sum(len(row.cells) == len(spans) for row in rows) < _AGREEING * len(rows):
        return None
    table = []
    for row in rows:
        texts = [""] * len(spans)
        for cell in row.cells:
            place = next(number for number, (x0, x1) in enumerate(spans) if x0 <= cell.x0 <= x1)
            texts[place] = f"{texts[place]} {cell.text}".strip()
        table.append(texts)
    return table


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as a Markdown table, the first one as its header."""
    lines = [f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])
