"""Tables in text files: every row is a paragraph of "header: value" lines, so that a row says by itself what its values are."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file

_DELIMITERS = ",;\t|"  # a tie goes to the first
_SNIFF_ROWS = 50
_NUMBER = re.compile(r"[-+]?[\d.,]+\s*%?")


class CsvLoader(FileLoader):
    """Comma-, semicolon-, tab- or pipe-separated values, as one Document."""

    def lazy_load(self) -> Iterator[Document]:
        """The rows as paragraphs. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        rows = _rows(decoded.text)
        yield self.document(
            "\n\n".join(paragraph for paragraph in _paragraphs(rows) if paragraph),
            "text",
            encoding=decoded.encoding,
            encoding_confidence=decoded.confidence,
        )


def _rows(text: str) -> list[list[str]]:
    """The non-empty rows. A quotation mark that is never closed is read as a character, not as a field to the end of the file."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # for the whole process; the file is in memory anyway
    delimiter = _delimiter(text)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        quoting: Literal[0, 3] = csv.QUOTE_NONE if "unexpected end" in str(error) else csv.QUOTE_MINIMAL
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, quoting=quoting))
    return [cells for row in rows if any(cells := [cell.strip() for cell in row])]


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first rows into the most often the same number of cells, above one."""
    return max(_DELIMITERS, key=lambda delimiter: _agreement(text, delimiter))


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    sample = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    widths = Counter(len(row) for row, _ in zip(sample, range(_SNIFF_ROWS), strict=False) if row)
    several = [(count, width) for width, count in widths.items() if width > 1]
    if not several:
        return 0.0, 0
    count, width = max(several)
    return count / widths.total(), width


def _paragraphs(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    has_header = len(rows) > 1 and not any(_NUMBER.fullmatch(cell) for cell in rows[0])
    header = _unique(rows[0]) if has_header else []
    for row in rows[1:] if has_header else rows:
        yield "\n".join(_line(header, place, cell) for place, cell in enumerate(row) if cell)


def _unique(header: Sequence[str]) -> list[str]:
    """The header on one line each; a repeated one is told apart by its place, an empty one stays empty."""
    names = [" ".join(cell.split()) for cell in header]
    return [f"{name} {place + 1}" if name and name in names[:place] else name for place, name in enumerate(names)]


def _line(header: Sequence[str], place: int, cell: str) -> str:
    value = re.sub(r"\n\s*\n", "\n", cell)  # a blank line would end the row's paragraph
    name = header[place] if place < len(header) else ""
    return f"{name}: {value}" if name else value
