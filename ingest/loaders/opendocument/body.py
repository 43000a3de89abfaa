"""OpenDocument text in Markdown: headings, lists, tables; notes, comments and frames below the paragraph that they hang on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.loaders.clean import clean
from ingest.loaders.layout.compose import markdown_safe
from ingest.loaders.odf import DRAW, OFFICE, SVG, TABLE, TEXT, XLINK, annotation, paragraph_text
from ingest.loaders.opendocument.labels import LEVELS, Labels
from ingest.loaders.package import Package
from ingest.loaders.tables import MOST_COLUMNS, Cell, table_markdown
from ingest.loaders.word.body import Block, joined
from language import width

_LOWEST_HEADING = 6
_SHORT_ITEM = 300
_DEEPEST = 30
_LISTED = frozenset(f"{TEXT}{name}-index" for name in ("alphabetical", "user", "illustration", "object", "table")) | {
    f"{TEXT}table-of-content",
    f"{TEXT}tracked-changes",
}
"""What says again what stands elsewhere, or what was deleted. A bibliography is no such."""
_ROWS = (f"{TABLE}table-header-rows", f"{TABLE}table-rows", f"{TABLE}table-row-group")


class Body:
    """Reads the text of one document."""

    def __init__(self, package: Package, labels: Labels) -> None:
        self._package, self._labels, self._notes = package, labels, 0

    def text(self, container: Any) -> str:
        """All that is in an element."""
        return joined(self.blocks(container))

    def blocks(self, container: Any, depth: int = 0) -> Iterator[Block]:
        """The paragraphs, lists and tables in an element, in order."""
        for child in container if depth < _DEEPEST else ():
            if child.tag in (f"{TEXT}p", f"{TEXT}h"):
                yield from self._paragraph(child, depth)
            elif child.tag == f"{TEXT}list":
                yield from self._list(child, depth)
            elif child.tag == f"{TABLE}table":
                yield from self._table(child, depth)
            elif child.tag == f"{DRAW}frame":
                yield from self._frame(child, depth)
            elif child.tag not in _LISTED and child.tag.startswith((TEXT, DRAW, OFFICE)):
                yield from self.blocks(child, depth + 1)

    def _paragraph(self, element: Any, depth: int) -> Iterator[Block]:
        notes: list[tuple[str, Any]] = []
        text = paragraph_text(element, lambda note: self._mark(note, notes))
        level = element.get(f"{TEXT}outline-level", "1") if element.tag == f"{TEXT}h" else ""
        if text and level.isdecimal() and int(level) > 0:
            number = self._labels.heading(min(int(level), LEVELS))
            title = " ".join(text.split())
            yield Block(f"{'#' * min(int(level), _LOWEST_HEADING)} {f'{number} {title}' if number else title}")
        elif text:
            yield Block(markdown_safe(text))
        yield from self._hanging(element, notes, depth)

    def _hanging(self, element: Any, notes: list[tuple[str, Any]], depth: int) -> Iterator[Block]:
        """Frames, notes and comments of a paragraph."""
        for frame in _within(element, f"{DRAW}frame", f"{DRAW}custom-shape", f"{DRAW}g"):
            yield from self._frame(frame, depth) if frame.tag == f"{DRAW}frame" else self.blocks(frame, depth + 1)
        for mark, note in notes:
            body = note.find(f"{TEXT}note-body")
            text = "" if body is None else joined(self.blocks(body, depth + 1))
            yield Block(f"{mark}: {text}")
        for comment in _within(element, f"{OFFICE}annotation"):
            words = annotation(comment)
            if words:
                yield Block(f"[{words}]")

    def _mark(self, note: Any, notes: list[tuple[str, Any]]) -> str:
        self._notes += 1
        notes.append((f"[^{self._notes}]", note))
        return notes[-1][0]

    def _list(self, element: Any, depth: int, level: int = 1, style: str = "") -> Iterator[Block]:
        """The items, each with its label in front of its first paragraph."""
        style = element.get(f"{TEXT}style-name") or style
        number = 0
        for item in element.iterchildren(f"{TEXT}list-item", f"{TEXT}list-header") if depth < _DEEPEST else ():
            label = self._labels.item(style, level, number) if item.tag == f"{TEXT}list-item" else ""
            number += bool(label)
            for child in item:
                if child.tag == f"{TEXT}list":
                    yield from self._list(child, depth + 1, level + 1, style)
                    continue
                for block in self.blocks([child], depth + 1):
                    if label and not block.text.startswith("#"):
                        indent = "  " * (level - 1) if label == "-" else ""
                        yield Block(f"{indent}{label} {block.text.strip()}", item=width(block.text) <= _SHORT_ITEM)
                    else:
                        yield block
                    label = ""

    def _table(self, element: Any, depth: int) -> Iterator[Block]:
        rows = list(_rows(element))
        if all(len(row) < 2 for row in rows):
            for row in rows:
                for cell in row:
                    yield from self.blocks(cell, depth + 1)
            return
        text = table_markdown([self._cell(cell, depth) for cell in row] for row in rows)
        if text:
            yield Block(text)

    def _cell(self, cell: Any, depth: int) -> Cell:
        """A cell on one line; a table in it is told with commas and semicolons."""
        texts = []
        for child in cell:
            if child.tag == f"{TABLE}table" and depth < _DEEPEST:
                inner = ([self._cell(each, depth + 1).text for each in row] for row in _rows(child))
                texts.append("; ".join(filter(None, (", ".join(filter(None, row)) for row in inner))))
            else:
                texts.extend(block.text.lstrip("# ") for block in self.blocks([child], depth + 1))
        return Cell(" ".join(texts), _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned"))

    def _frame(self, frame: Any, depth: int) -> Iterator[Block]:
        """A text box, a table, a formula or chart, or what describes a picture."""
        for child in frame:
            if child.tag == f"{DRAW}text-box":
                yield from self.blocks(child, depth + 1)
            elif child.tag == f"{TABLE}table":
                yield from self._table(child, depth + 1)
            elif child.tag == f"{DRAW}object":
                yield from self._object(child, depth)
            elif child.tag in (f"{SVG}title", f"{SVG}desc") and child.text and child.text.strip():
                yield Block(markdown_safe(" ".join(clean(child.text).split())))

    def _object(self, element: Any, depth: int) -> Iterator[Block]:
        """A formula as it was typed, or the numbers of a chart."""
        name = element.get(f"{XLINK}href", "").removeprefix("./")
        root = self._package.xml(f"{name}/content.xml")
        if root is None:
            return
        formula = next(root.iter("{*}annotation"), None) if root.tag.endswith("}math") else None
        if formula is not None and formula.text:
            yield Block(f"${' '.join(clean(formula.text).split())}$")
        for table in root.iter(f"{TABLE}table"):
            yield from self._table(table, depth + 1)


def _rows(table: Any) -> Iterator[list[Any]]:
    """The cells of each row, without those that a merged one covers."""
    for child in table:
        if child.tag in _ROWS:
            yield from _rows(child)
        elif child.tag == f"{TABLE}table-row":
            row: list[Any] = []
            for cell in child.iterchildren(f"{TABLE}table-cell"):
                row.extend([cell] * min(_count(cell, "number-columns-repeated"), MOST_COLUMNS - len(row)))
            yield row


def _count(element: Any, name: str) -> int:
    value = element.get(f"{TABLE}{name}", "1")
    return max(1, int(value)) if value.isdecimal() else 1


def _within(element: Any, *tags: str) -> Iterator[Any]:
    """The elements of a kind in a paragraph, but not those in a note, a comment or a frame of it."""
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag not in (f"{TEXT}note", f"{OFFICE}annotation", f"{DRAW}frame"):
            yield from _within(child, *tags)
