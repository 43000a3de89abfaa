"""The row chunker: tables, of which no chunk cuts a row that fits into one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ingest.chunkers.base import Piece, SpanChunker
from ingest.chunkers.bounds import PARAGRAPH_END, Ruler, bounded, stripped, with_overlap
from ingest.chunkers.recursive import whole_sections
from language import Span, width

_TABLE_LINE = re.compile(r"[ \t]*\|")


class RowsChunker(SpanChunker):
    """As many rows a chunk as fit; none crosses a heading, such as the name of a sheet.

    A row is a paragraph, as the loaders of tables write it, or a line of a Markdown table. Segments are whole rows too.
    """

    name: ClassVar[str] = "rows"

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Runs of rows."""
        sizes = self.sizes
        found: list[Span] = []
        for section in whole_sections(text, markdown=markdown):
            first = True
            for row in _rows(text, Span(section.start, section.end)):
                for part in bounded(text, row, sizes.room, ruler):
                    if not first and ruler.width(found[-1].start, part.end) <= sizes.room:
                        found[-1] = Span(found[-1].start, part.end)
                    else:
                        found.append(part)
                    first = False
        return [Piece(*span) for span in with_overlap(text, found, overlap=sizes.overlap, size=sizes.chunk_size, ruler=ruler)]

    def inner_cuts(self, text: str, pieces: Sequence[Piece]) -> Sequence[int]:
        """The rows at which a segment is full, or would be too full with the next one."""
        cuts: list[int] = []
        for piece in pieces:
            start = piece.start
            for row in _rows(text, Span(piece.start, piece.end)):
                if row.start > start and width(text[start : row.end]) > self.sizes.segment_size:
                    cuts.append(row.start)
                    start = row.start
        return cuts


def _rows(text: str, span: Span) -> Iterator[Span]:
    """Paragraphs; of those that are a table in Markdown, the lines."""
    start = span.start
    for match in [*PARAGRAPH_END.finditer(text, *span), None]:
        end = match.end() if match else span.end
        row = stripped(text, start, end)
        if row and _TABLE_LINE.match(text, row.start):
            yield from _lines(text, row)
        elif row:
            yield row
        start = end


def _lines(text: str, span: Span) -> Iterator[Span]:
    place = span.start
    for line in text[span.start : span.end].splitlines(keepends=True):
        found = stripped(text, place, place + len(line))
        if found:
            yield found
        place += len(line)
