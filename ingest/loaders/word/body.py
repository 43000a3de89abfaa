"""The text of a Word document in Markdown: headings, lists with their labels, tables, and notes below what they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingest.loaders.clean import clean
from ingest.loaders.layout.compose import markdown_safe
from ingest.loaders.tables import Cell, table_markdown
from ingest.loaders.word import W
from ingest.loaders.word.drawings import Drawings
from ingest.loaders.word.inline import Inline, read_inline
from ingest.loaders.word.numbering import Numbering, value
from ingest.loaders.word.styles import Styles, chapter_level
from language import width

_LONGEST_HEADING = 300
_SHORT_ITEM = 300
_DEEPEST = 20
_THROUGH = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


class Block(NamedTuple):
    """A paragraph or table; short items of a list follow each other without a blank line."""

    text: str
    item: bool = False


@dataclass
class Story:
    """What is needed to read a document. Notes, by (kind, id), and comments are told once, where they are referred to.

    `inserted` are files that stand in the text, by the ids of their relations, in Markdown.
    """

    styles: Styles
    numbering: Numbering
    drawings: Drawings
    notes: Mapping[tuple[str, str], Any]
    comments: Mapping[str, str]
    inserted: Mapping[str, str]
    told: set[str] = field(default_factory=set)
    _marks: dict[tuple[str, str], str] = field(default_factory=dict)

    def text(self, container: Any) -> str:
        """All paragraphs and tables in an element."""
        return joined(self.blocks(container))

    def blocks(self, container: Any, depth: int = 0) -> Iterator[Block]:
        """The paragraphs and tables in an element, each followed by what hangs on it."""
        for child in container.iterchildren(tag=("*",)) if depth < _DEEPEST else ():
            if child.tag == f"{W}p":
                yield from self._paragraph(child, depth)
            elif child.tag == f"{W}tbl":
                yield from self._table(child, depth)
            elif child.tag in _THROUGH and not _is_contents(child):
                yield from self.blocks(child, depth + 1)
            elif child.tag == f"{_MC}AlternateContent" and len(child):
                yield from self.blocks(child[0], depth + 1)
            elif child.tag == f"{W}altChunk" and (text := self.inserted.get(child.get(_RELATION, ""), "")):
                yield Block(text)

    def _paragraph(self, paragraph: Any, depth: int) -> Iterator[Block]:
        inline = read_inline(paragraph, self._mark)
        text = clean(inline.text).strip()
        place = self.styles.list_of(paragraph, self.numbering)
        label = self.numbering.label(*place) if place else ""  # an empty paragraph counts as well
        if text and not self.styles.is_contents(paragraph):
            level = self.styles.heading(paragraph) or (None if label else chapter_level(text))
            if level and width(text) <= _LONGEST_HEADING:
                title = " ".join(text.split())
                yield Block(f"{'#' * level} {title if label in ('', '-') else f'{label} {title}'}")
            elif label:
                indent = "  " * (place[1] if place and label == "-" else 0)
                yield Block(f"{indent}{label} {text}", item=width(text) <= _SHORT_ITEM)
            else:
                yield Block(markdown_safe(text))
        yield from self._hanging(inline, depth)

    def _hanging(self, inline: Inline, depth: int) -> Iterator[Block]:
        """Text boxes, drawings, notes and comments of a paragraph."""
        for box in inline.boxes:
            yield from self.blocks(box, depth + 1)
        for drawing in inline.drawings:
            yield from (Block(text) for text in self.drawings.texts(drawing) if text)
        for key in inline.notes:
            note = self.notes.get(key)
            text = "" if note is None else joined(self.blocks(note, depth + 1))
            if text:
                yield Block(f"{self._mark(*key)}: {text}")
        for number in inline.comments:
            if number in self.comments and number not in self.told:
                self.told.add(number)
                yield Block(self.comments[number])

    def _mark(self, kind: str, number: str) -> str:
        """A note's mark, numbered through the document."""
        if (kind, number) not in self.notes:
            return ""
        return self._marks.setdefault((kind, number), f"[^{len(self._marks) + 1}]")

    def _table(self, table: Any, depth: int) -> Iterator[Block]:
        """A table. One with a single cell, or a single column, is a frame around text."""
        rows = list(_rows(table))
        if all(len(cells) < 2 for cells in rows):
            for cells in rows:
                for cell in cells:
                    yield from self.blocks(cell, depth + 1)
            return
        later: list[Block] = []
        text = table_markdown([self._cell(cell, later, depth) for cell in cells] for cells in rows)
        if text:
            yield Block(text)
        yield from later

    def _cell(self, cell: Any, later: list[Block], depth: int) -> Cell:
        """A cell on one line; a table in it is told with commas and semicolons. Notes and comments go below the table."""
        texts = []
        for child in _blocks_of(cell):
            if child.tag == f"{W}tbl":
                texts.append(self._flat(child, later, depth + 1))
                continue
            for number, block in enumerate(self._paragraph(child, depth + 1)):
                text = block.text.lstrip("# ") if number == 0 else block.text
                if text.startswith("[^") and "]: " in text[:12]:
                    later.append(block)
                else:
                    texts.append(text)
        merge = cell.find(f"{W}tcPr/{W}vMerge")
        across = value(cell.find(f"{W}tcPr/{W}gridSpan"))
        return Cell(
            " ".join(filter(None, texts)),
            across=int(across) if across.isdecimal() else 1,
            continued=merge is not None and value(merge) in ("", "continue"),
        )

    def _flat(self, table: Any, later: list[Block], depth: int) -> str:
        if depth > _DEEPEST:
            return ""
        rows = ([self._cell(cell, later, depth).text for cell in cells] for cells in _rows(table))
        return "; ".join(filter(None, (", ".join(filter(None, row)) for row in rows)))


def joined(blocks: Iterable[Block]) -> str:
    """The blocks with blank lines between them, short items of a list without."""
    text, after_item = "", False
    for block in blocks:
        text += ("" if not text else "\n" if block.item and after_item else "\n\n") + block.text
        after_item = block.item
    return text


def _rows(table: Any) -> Iterator[list[Any]]:
    """The cells of each row that was not deleted."""
    for row in _through(table, f"{W}tr"):
        if row.find(f"{W}trPr/{W}del") is None:
            yield list(_through(row, f"{W}tc"))


def _blocks_of(cell: Any) -> Iterator[Any]:
    return _through(cell, f"{W}p", f"{W}tbl")


def _through(element: Any, *tags: str) -> Iterator[Any]:
    """The children of a kind, also those that are wrapped, as in a content control."""
    for child in element.iterchildren(tag=("*",)):
        if child.tag in tags:
            yield child
        elif child.tag in _THROUGH:
            yield from _through(child, *tags)


def _is_contents(element: Any) -> bool:
    """Whether a content control is a table of contents."""
    gallery = value(element.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery"))
    return gallery == "Table of Contents"
