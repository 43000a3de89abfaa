"""Runs of characters, and the rows that they stand in. Places are in points (or pixels) from the top left corner, y downwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median

CJK = "\u2e80-\u303f\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"
_CJK_PAIR = re.compile(f"[{CJK}]{{2}}")
_NO_BLANK = 0.12  # of the size: nearer runs belong to one word
_CJK_BLANK = 0.6  # spaced-out ideographs are no words
_NEIGHBOURS = 6  # of a row are compared with a run: rows may have hundreds
CELL_GAP = 1.3  # of the size: a wider gap may part cells or columns


@dataclass(frozen=True, slots=True)
class Run:
    """Characters on one line without a wide gap. `size` is the height of its letters' box, about the font's size."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    bold: bool = False

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Rule:
    """A drawn line, horizontal (`top == bottom`) or vertical (`x0 == x1`)."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def horizontal(self) -> bool:
        """Whether it lies rather than stands."""
        return self.x1 - self.x0 > self.bottom - self.top


@dataclass(frozen=True)
class Row:
    """Runs side by side, from left to right."""

    runs: tuple[Run, ...]

    @cached_property
    def x0(self) -> float:
        """Its left end."""
        return min(run.x0 for run in self.runs)

    @cached_property
    def x1(self) -> float:
        """Its right end."""
        return max(run.x1 for run in self.runs)

    @cached_property
    def top(self) -> float:
        """Its upper edge."""
        return min(run.top for run in self.runs)

    @cached_property
    def bottom(self) -> float:
        """Its lower edge."""
        return max(run.bottom for run in self.runs)

    @cached_property
    def size(self) -> float:
        """The size of most of its characters."""
        return max(self.runs, key=lambda run: (sum(len(r.text) for r in self.runs if r.size == run.size), run.size)).size

    @property
    def bold(self) -> bool:
        """Whether all of it is."""
        return all(run.bold for run in self.runs)

    @cached_property
    def text(self) -> str:
        r"""Its runs, parted by nothing, a blank, or where a cell may end a tab."""
        text = self.runs[0].text
        for before, after in pairwise(self.runs):
            text += between(before, after) + after.text
        return text

    @cached_property
    def cells(self) -> tuple[Run, ...]:
        """Its runs, those without a wide gap between them as one."""
        joined = [self.runs[0]]
        for run in self.runs[1:]:
            last = joined[-1]
            parts = between(last, run)
            if parts == "\t":
                joined.append(run)
                continue
            text = last.text + parts + run.text
            joined[-1] = Run(
                text, last.x0, min(last.top, run.top), max(last.x1, run.x1), max(last.bottom, run.bottom), last.size, last.bold
            )
        return tuple(joined)


def between(before: Run, after: Run) -> str:
    """What parts two runs of a row: "", " " or a tab."""
    size = max(min(before.size, after.size), 1.0)
    gap = (after.x0 - before.x1) / size
    if gap > CELL_GAP:
        return "\t"
    if gap < _NO_BLANK or (gap < _CJK_BLANK and _CJK_PAIR.fullmatch(before.text[-1:] + after.text[:1])):
        return ""
    return "" if before.text.endswith(" ") or after.text.startswith(" ") else " "


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """The rows from top to bottom: runs that overlap by more than half of the lower one's height share a row.

    Two lines of one cell never do, even where the cell beside them stands between the two.
    """
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: (run.middle, run.x0)):
        for row in rows[-3:]:
            near = row[-_NEIGHBOURS:]
            if any(_level(run, other) for other in near) and not any(_below(run, other) for other in near):
                row.append(run)
                break
        else:
            rows.append([run])
    found = [Row(tuple(sorted(row, key=lambda run: run.x0))) for row in rows]
    return sorted(found, key=lambda row: row.top + row.bottom)


def _level(a: Run, b: Run) -> bool:
    overlap = min(a.bottom, b.bottom) - max(a.top, b.top)
    return overlap > 0.5 * min(a.bottom - a.top, b.bottom - b.top)


def _below(a: Run, b: Run) -> bool:
    """Whether one is a line below the other: not level, and in the same place from left to right."""
    return not _level(a, b) and min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 * min(a.x1 - a.x0, b.x1 - b.x0)


def usual_size(runs: Sequence[Run]) -> float:
    """The size that most characters have, to half a point; 0 for no text."""
    counts: dict[float, int] = {}
    for run in runs:
        key = round(run.size * 2) / 2
        counts[key] = counts.get(key, 0) + len(run.text)
    return max(counts, key=lambda size: counts[size], default=0.0)


def leading(rows: Sequence[Row]) -> float:
    """The usual distance from a row to the next one, in places; 0 for fewer than two rows."""
    steps = [b.bottom - a.bottom for a, b in pairwise(rows) if b.bottom > a.bottom]
    return median(steps) if steps else 0.0
