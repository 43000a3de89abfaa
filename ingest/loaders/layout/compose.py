"""A page's runs become blocks in reading order: headings, paragraphs, tables, footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.loaders.layout.columns import regions
from ingest.loaders.layout.paragraphs import is_list_item, join_rows, paragraphs
from ingest.loaders.layout.runs import Row, Rule, Run, rows_of
from ingest.loaders.layout.style import Style
from ingest.loaders.layout.tables import aligned, aligned_table, grids, markdown_table, ruled_table

_NOTE_MARK = re.compile(r"[*∗†‡§¶※\d①-⑳⁰¹²³⁴-⁹]")
_SMALL = 0.92  # of the column's size: footnotes are smaller
_LOOKS_LIKE_MARKUP = re.compile(r"^ {0,3}(?=#{1,6}(?:[ \t]|$)|```|~~~|(?:=+|-+)[ \t]*$)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A piece of a page's text; `level` is that of a heading."""

    kind: Literal["heading", "text", "table", "note"]
    text: str
    level: int = 0

    def markdown(self) -> str:
        """The block as Markdown in which only what is a heading looks like one."""
        if self.kind == "heading":
            return f"{'#' * self.level} {self.text}"
        return markdown_safe(self.text)


def markdown_safe(text: str) -> str:
    """The text with four blanks before lines that would be markup by accident, which Markdown then takes as they are."""
    return _LOOKS_LIKE_MARKUP.sub("    ", text)


def compose(runs: Sequence[Run], rules: Sequence[Rule] = (), *, style: Style, page: int = 0) -> list[Block]:
    """The blocks of a page, footnotes last. Every run is in exactly one of them."""
    blocks: list[Block] = []
    notes: list[Block] = []
    tables = [(grid, held) for grid in grids(rules) if len(held := [run for run in runs if grid.holds(run)]) > 1]
    standing: dict[int, str] = {}
    flow = list(runs)
    for grid, held in tables:
        inside = set(map(id, held))
        flow = [run for run in flow if id(run) not in inside]
        text = _table_text(ruled_table(grid, held))
        place = Run("\ufffc", grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1], held[0].size)
        standing[id(place)] = text
        flow.append(place)
    for region in regions(flow):
        body, foot = _footnotes(rows_of(region))
        blocks.extend(_blocks(body, standing, style=style, page=page))
        notes.extend(Block("note", block.text) for block in _blocks(foot, standing, style=Style(words=style.words), page=page))
    return [block for block in [*blocks, *notes] if block.text]


def _table_text(rows: Sequence[Sequence[str]]) -> str:
    """A grid with one column is a box around text."""
    return markdown_table(rows) if rows and len(rows[0]) > 1 else "\n\n".join(row[0] for row in rows if row)


def _footnotes(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """A column's rows, and those at its end that are smaller and begin with a mark."""
    sizes = sorted(row.size for row in rows)
    if len(rows) < 4:
        return rows, []
    usual = sizes[len(sizes) // 2]
    start = len(rows)
    while start and rows[start - 1].size <= _SMALL * usual:
        start -= 1
    while start < len(rows) and not _NOTE_MARK.match(rows[start].text):
        start += 1
    return rows[:start], rows[start:]


def _blocks(rows: Sequence[Row], standing: dict[int, str], *, style: Style, page: int) -> Iterator[Block]:
    flowing: list[Row] = []
    for row in rows:
        table = next((standing[id(run)] for run in row.runs if id(run) in standing), None)
        if table is None:
            flowing.append(row)
            continue
        yield from _flow(flowing, style=style, page=page)
        flowing = []
        beside = [run for run in row.runs if id(run) not in standing]
        yield from _flow(rows_of(beside), style=style, page=page)
        for run in row.runs:
            if id(run) in standing:
                yield Block("table", standing[id(run)])
    yield from _flow(flowing, style=style, page=page)


def _flow(rows: Sequence[Row], *, style: Style, page: int) -> Iterator[Block]:
    edge = max((row.x1 for row in rows), default=0.0)
    for is_table, stretch in aligned(rows):
        table = aligned_table(stretch) if is_table else None
        if table:
            yield Block("table", markdown_table(table))
            continue
        found = list(paragraphs(stretch))
        for number, paragraph in enumerate(found):
            beside = [*found[max(number - 1, 0) : number], *found[number + 1 : number + 2]]
            level = None if _is_item(paragraph, beside) else style.level(paragraph, page)
            if level:
                yield Block("heading", " ".join(row.text for row in paragraph), level)
            else:
                yield Block("text", join_rows(paragraph, _right(paragraph, edge), style.words))


def _is_item(paragraph: Sequence[Row], beside: Sequence[Sequence[Row]]) -> bool:
    """Whether it is an item of a list rather than a numbered heading: its neighbour is one as well."""
    return is_list_item(paragraph[0].text) and any(is_list_item(other[0].text) for other in beside)


def _right(rows: Sequence[Row], edge: float) -> float:
    """Where the lines of a paragraph end: of its own, when most of them end there, else of the column."""
    own = max(row.x1 for row in rows)
    full = sum(row.x1 > own - 1.5 * row.size for row in rows[:-1])
    return own if len(rows) > 2 and full > 0.6 * (len(rows) - 1) else edge
