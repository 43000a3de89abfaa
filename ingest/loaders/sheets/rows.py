"""Each row of a sheet as a paragraph of "header: value" lines, with the place of each in the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from ingest.loaders.layout.compose import markdown_safe
from ingest.loaders.sheets.beside import side_by_side
from ingest.loaders.sheets.grid import Block, Row, blocks
from ingest.loaders.sheets.headers import Header, header_of, is_convincing, may_name, titles
from language import width

_LONGEST_TITLE = 200
_LONGEST_KEY = 150
_MOST_HELD = 6
_ENDS = (".", "!", "?", "。", "！", "？", "…")
_LONGEST_NAME_ALONE = 60
"""Width of a first line up to which it may name a single column."""


@dataclass
class SheetText:
    """The text of a sheet, and (row, start, end) of what is told of each row."""

    rows: list[tuple[int, int, int]] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _end: int = 0

    def add(self, text: str, row: int | None = None) -> None:
        """A paragraph, of a row where one is given."""
        if row is not None:
            self.rows.append((row, self._end, self._end + len(text)))
        self._parts.append(text)
        self._end += len(text) + 2

    @property
    def text(self) -> str:
        """The paragraphs with a blank line between them."""
        return "\n\n".join(self._parts)


class RowWriter:
    """Writes rows as paragraphs about `size` wide at most: of a wider row each repeats the first value, to say whose it is.

    With `markdown`, titles of tables are headings, and no cell looks like one. Without `gaps`, empty rows end no table.
    """

    def __init__(self, *, size: float, markdown: bool, gaps: bool = True) -> None:
        self._size, self._markdown, self._gaps = size, markdown, gaps

    def write(self, rows: Iterable[Row], heading: str = "") -> SheetText:
        """The rows of one sheet, below a heading; columns keep their names beyond an empty row."""
        into = SheetText()
        if heading:
            into.add(f"# {' '.join(heading.split())}")
        header: Header | None = None
        found = blocks(rows, gaps=self._gaps)
        for block in _with_lone_rows(found) if self._gaps else found:
            for table in side_by_side(block):
                header = self._table(table, header, into)
        return into

    def _table(self, block: Block, before: Header | None, into: SheetText) -> Header | None:
        """Writes a block; returns the header that rows after an empty one may still be under."""
        above = titles(block.rows)
        for number, row in enumerate(block.rows[:above]):
            self._title(row, into, heading=number == 0)
        rows = block.rows[above:]
        header = _header(rows, before, titled=bool(above))
        heads = rows[: header.depth] if header else []
        names, unused = {tuple(row.cells) for row in heads}, {place for row in heads for place in row.columns}
        for row in chain(rows[len(heads) :], block.rest):
            if tuple(row.cells) not in names:  # as where the header stands on every printed page
                self._row(row, header, into)
                unused.difference_update(row.columns)
        if header and unused:
            into.add(self._safe("\n".join(f"{header.name(place)}:" for place in sorted(unused))), heads[0].number)
        return header if header and len(header.columns) > 1 else before

    def _title(self, row: Row, into: SheetText, *, heading: bool) -> None:
        text = row.cells[row.columns[0]]
        if heading and self._markdown and width(text) <= _LONGEST_TITLE:
            into.add(f"## {' '.join(text.split())}", row.number)
        else:
            into.add(self._safe(text), row.number)

    def _row(self, row: Row, header: Header | None, into: SheetText) -> None:
        lines = [_line(header.name(place) if header else "", row.cells[place]) for place in row.columns]
        key = lines[0] if width(lines[0]) <= _LONGEST_KEY else ""
        paragraph: list[str] = []
        wide = 0.0
        for line in lines:
            if len(paragraph) > 1 and wide + width(line) > self._size:
                into.add(self._safe("\n".join(paragraph)), row.number)
                paragraph = [key] if key else []
                wide = width(key)
            paragraph.append(line)
            wide += width(line) + 1
        into.add(self._safe("\n".join(paragraph)), row.number)

    def _safe(self, text: str) -> str:
        return markdown_safe(text) if self._markdown else text


def _line(name: str, value: str) -> str:
    return f"{name}: {value}" if name else value


def _header(rows: Sequence[Row], before: Header | None, *, titled: bool) -> Header | None:
    """The header of these rows: their own, or the one of a table before them that goes on."""
    own = header_of(rows)
    used = {place for row in rows for place in row.columns}
    if before and used <= before.columns and not (own and (titled or is_convincing(own, rows[own.depth :]))):
        return replace(before, depth=0) if any(len(row.columns) > 1 for row in rows) else None
    if own and len(own.columns) == 1:
        name = own.name(min(own.columns))
        return None if before or width(name) > _LONGEST_NAME_ALONE or name.endswith(_ENDS) else own
    return own


def _with_lone_rows(found: Iterator[Block]) -> Iterator[Block]:
    """The blocks; a few rows that are the title of the block after them, or name its columns, are part of it."""
    held: list[Row] = []
    for block in found:
        if held and (_heads(held, block) or _all_alone([*held, *block.rows])):
            whole = replace(block, rows=[*held, *block.rows])
        else:
            yield from [Block(held)] if held else []
            whole = block
        held = []
        if whole.whole and len(whole.rows) <= _MOST_HELD and all(map(may_name, whole.rows)):
            held = list(whole.rows)
        else:
            yield whole
    if held:
        yield Block(held)


def _all_alone(rows: Sequence[Row]) -> bool:
    return len(rows) <= _MOST_HELD and all(len(row.columns) == 1 for row in rows)


def _heads(held: Sequence[Row], block: Block) -> bool:
    """Whether rows are the title and the names of the columns of a block that has none of its own."""
    below = {place for row in block.rows for place in row.columns}
    names = [row for number, row in enumerate(held) if not _all_alone(held[: number + 1])]
    if len(below) < 2 or not names:
        return len(below) > 1
    if not below <= {place for row in names for place in row.columns}:
        return False
    if len(names) == 1:
        own = header_of(block.rows)
        return not (own and is_convincing(own, block.rows[own.depth :]))
    header = header_of([*names, *block.rows])
    return header is not None and header.depth == len(names)
