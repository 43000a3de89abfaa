"""Text that becomes paragraphs and tables as its marks come by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ingest.loaders.clean import clean
from ingest.loaders.layout.compose import markdown_safe
from ingest.loaders.tables import Cell, table_markdown

_BULLET = re.compile(r"^[•·●○■◆▪–-]\s+")
INNER_CELL, INNER_ROW = ", ", "; "
CONTINUED, TAKEN_IN = "continued", "taken in"


@dataclass
class Flow:
    """The text of a document, a note or a header. `merges` says of the cells of the row how they are merged."""

    blocks: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    """Notes and comments of what is being written."""
    merges: list[str] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)
    _cell: list[str] = field(default_factory=list)
    _row: list[str] = field(default_factory=list)
    _rows: list[list[Cell]] = field(default_factory=list)

    def write(self, text: str) -> None:
        """More of the paragraph."""
        self._text.append(text)

    def end_paragraph(self, *, level: int | None = None, in_table: bool = False) -> None:
        """The paragraph, as a heading where it has a level; within a table it is a part of a cell."""
        text = self._take()
        if in_table:
            self._cell.append(text)
            return
        self._end_table()
        if text and level:
            self.blocks.append(f"{'#' * level} {' '.join(text.split())}")
        elif text:
            self.blocks.append(_BULLET.sub("- ", text) if _BULLET.match(text) else markdown_safe(text))
        self.blocks.extend(self.below)
        self.below.clear()

    def end_cell(self) -> None:
        """The cell of a table."""
        self._cell.append(self._take())
        self._row.append(" ".join(filter(None, self._cell)))
        self._cell.clear()

    def end_inner(self, sign: str) -> None:
        """The cell or row of a table within a cell, which is told with commas and semicolons."""
        if sign == INNER_ROW and self._text and self._text[-1] == INNER_CELL:
            self._text.pop()
        self._text.append(sign)

    def end_row(self) -> None:
        """The row of a table."""
        kinds = [*self.merges, *[""] * (len(self._row) - len(self.merges))]
        cells: list[Cell] = []
        for text, kind in zip(self._row, kinds, strict=False):
            if kind == TAKEN_IN and cells:
                cells[-1] = Cell(cells[-1].text, cells[-1].across + 1, continued=cells[-1].continued)
            else:
                cells.append(Cell(text, continued=kind == CONTINUED))
        self._rows.append(cells)
        self._row.clear()

    def end(self) -> str:
        """All of it."""
        if self._row:
            self.end_row()
        self.end_paragraph()
        return "\n\n".join(self.blocks)

    def _take(self) -> str:
        text = "".join(self._text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._text.clear()
        return clean(text.removesuffix(INNER_ROW)).strip()

    def _end_table(self) -> None:
        if self._rows:
            self.blocks.append(table_markdown(self._rows))
            self._rows = []
