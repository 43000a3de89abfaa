"""Headers, footers and page numbers: rows at a page's edge that come again on most pages at the same height."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.loaders.layout.runs import Row, Run, rows_of

_LEAST_PAGES = 3
_MOST = 0.6  # of the pages, or of the left or the right ones
_EDGE_ROWS = 3
_EDGE = 0.15  # of the page's height
_SAME_HEIGHT = 6.0
_APART = 0.8  # of the size: the white between a header and the text
_NUMBER = re.compile(r"\d{1,5}|\b[ivxlc]{1,7}\b")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_NOT_WORDS = re.compile(r"\b(?:page|of|p|pg|seite|von|página|de)\b|[第页頁共ページ]|[\W\d_]|#-?\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Furniture:
    """What one page loses: its runs, and their rows as text."""

    runs: frozenset[int]
    texts: tuple[str, ...]


Key = tuple[str, int]


def find_furniture(pages: Mapping[int, tuple[Sequence[Run], float]]) -> dict[int, Furniture]:
    """What repeats, by page; `pages` holds runs and heights. A row with words stays where it comes first, so that none is lost.

    A number may change only as the number of the page does: another one says something of its own. What is a page's only text
    is no furniture.
    """
    edges = {page: _edge_rows(runs, height) for page, (runs, height) in pages.items()}
    seen: dict[Key, set[int]] = {}
    for page, rows in edges.items():
        for row in rows:
            for key in _keys(row, page):
                seen.setdefault(key, set()).add(page)
    repeated = {key for key, on in seen.items() if _on_most(on, list(pages))}
    first: set[str] = set()
    found = {}
    for page, rows in edges.items():
        gone = []
        for row in rows:
            says = next((key[0] for key in _keys(row, page) if key in repeated), None)
            if says is None:
                continue
            if _NOT_WORDS.sub("", says) and says not in first:
                first.add(says)
                continue
            gone.append(row)
        runs = frozenset(id(run) for row in gone for run in row.runs)
        if len(runs) < len(pages[page][0]):
            found[page] = Furniture(runs, tuple(row.text for row in gone))
    return found


def _edge_rows(runs: Sequence[Run], height: float) -> list[Row]:
    """The first and the last rows of a page, as far as a gap parts them from the text."""
    rows = rows_of(runs)
    gaps = [after.top - before.bottom > _APART * max(before.size, after.size) for before, after in pairwise(rows)]
    head = max((place + 1 for place, gap in enumerate(gaps[:_EDGE_ROWS]) if gap), default=0)
    foot = max((place + 1 for place, gap in enumerate(gaps[::-1][:_EDGE_ROWS]) if gap), default=0)
    above = [row for row in rows[:head] if row.bottom < _EDGE * height]
    return [*above, *(row for row in rows[len(rows) - foot :] if row.top > (1 - _EDGE) * height)]


def _keys(row: Row, page: int) -> list[Key]:
    """What it says, as it is and with a number relative to the page's; at two heights, as rows beside a step still meet."""
    text = " ".join(row.text.split()).casefold()
    numbers = list(_NUMBER.finditer(text))
    places = [{number.start()} for number in numbers]  # 4 of 4: one of them counts pages
    places += [{n.start() for n in numbers if _value(n.group()) == value} for value in {_value(n.group()) for n in numbers}]
    says = [text, *(_relative(text, at, page) for at in places)]
    step = int(row.top // _SAME_HEIGHT)
    return [(line, height) for line in dict.fromkeys(says) for height in (step, step + 1)]


def _relative(text: str, places: set[int], page: int) -> str:
    """The text with the numbers at some places as their distance from the page's."""
    return _NUMBER.sub(lambda found: f"#{_value(found.group()) - page}" if found.start() in places else found.group(), text)


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    digits = [_ROMAN[letter] for letter in number]
    return sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0], strict=True))


def _on_most(on: set[int], pages: Sequence[int]) -> bool:
    sides = ([page for page in pages if page % 2], [page for page in pages if page % 2 == 0])
    return len(on) >= _LEAST_PAGES and (
        len(on) >= _MOST * len(pages) or any(len(on & set(side)) >= max(_MOST * len(side), _LEAST_PAGES) for side in sides)
    )
