"""Where a passage stands on a page: a box for each line of it, made of the boxes of its characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ingest.view.match import count_letters, matches
from ingest.view.picture import Box, Matched, Span

_ALL, _ANY = 0.97, 0.2
"""Shares of the passage's letters: from the first on, all of it was found; below the second, what was found is an accident."""
_APART = 3.0  # of the size: a wider gap on a line parts columns or cells


class Letter(NamedTuple):
    """A character and its box, in any unit, y downwards."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float


class Marks(NamedTuple):
    """The boxes of a passage on its page, and how much of it they are."""

    boxes: tuple[Box, ...] = ()
    matched: Matched = "none"


def marks(letters: Sequence[Letter], size: tuple[float, float], text: str, spans: Iterable[Span]) -> Marks:
    """The places of the spans of a page's text among its letters (in the order of its content), on a page of that size."""
    inside = {place for start, end in spans for place in range(start, end)}
    if not inside or not letters:
        return Marks()
    found = matches(text, [letter.text for letter in letters])
    chosen = {found[place] for place in inside if place in found}
    total = sum(count_letters(text[place]) for place in inside)
    share = sum(place in found for place in inside) / total if total else 0.0
    if share < _ANY:
        return Marks()
    boxes = lines([letters[number] for number in sorted(chosen)])
    return Marks(tuple(_shares(box, size) for box in boxes), "all" if share >= _ALL else "part")


def lines(letters: Iterable[Letter]) -> list[Box]:
    """A box around those that follow each other on a line, which may stand upright."""
    found: list[list[Letter]] = []
    for letter in letters:
        if found and _goes_on(found[-1], letter):
            found[-1].append(letter)
        else:
            found.append([letter])
    return [
        (min(one.x0 for one in line), min(one.top for one in line), max(one.x1 for one in line), max(one.bottom for one in line))
        for line in found
    ]


def _goes_on(line: Sequence[Letter], after: Letter) -> bool:
    first, before = line[0], line[-1]
    size = max(min(before.bottom - before.top, after.bottom - after.top), min(before.x1 - before.x0, after.x1 - after.x0))
    if all(_shared(one.top, one.bottom, after.top, after.bottom) for one in (first, before)):
        return max(after.x0 - before.x1, before.x0 - after.x1) < _APART * size
    if all(_shared(one.x0, one.x1, after.x0, after.x1) for one in (first, before)):
        return max(after.top - before.bottom, before.top - after.bottom) < size / 2
    return False


def _shared(a0: float, a1: float, b0: float, b1: float) -> bool:
    """Whether two stretches share more than half of the shorter one."""
    return min(a1, b1) - max(a0, b0) > 0.5 * min(a1 - a0, b1 - b0)


def _shares(box: Box, size: tuple[float, float]) -> Box:
    wide, high = size
    x0, top, x1, bottom = (min(max(place, 0.0), 1.0) for place in (box[0] / wide, box[1] / high, box[2] / wide, box[3] / high))
    return round(x0, 5), round(top, 5), round(x1, 5), round(bottom, 5)
