"""Tables in text files: every row is a paragraph of "header: value" lines, so that a row says by itself what its values are."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.loaders.sheets.grid import Row, tidy_cell
from ingest.loaders.sheets.rows import RowWriter

_DELIMITERS = ",;\t|"  # a tie goes to the first
_SNIFF_ROWS = 50


class CsvLoader(FileLoader):
    """Comma-, semicolon-, tab- or pipe-separated values, as one Document.

    Its `rows` are (row, start, end), by the number that a spreadsheet program shows when it opens the file.
    """

    def lazy_load(self) -> Iterator[Document]:
        """The rows as paragraphs. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        writer = RowWriter(size=self.settings.chunk_size, markdown=False, gaps=False)
        written = writer.write(_rows(decoded.text))
        yield self.document(
            written.text,
            "text",
            rows=written.rows,
            encoding=decoded.encoding,
            encoding_confidence=decoded.confidence,
        )


def _rows(text: str) -> Iterable[Row]:
    """The rows. A quotation mark that is never closed is read as a character, not as a field to the end of the file."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # for the whole process; the file is in memory anyway
    text = _without_hint(text)
    delimiter = _delimiter(text)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
    strict = True
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True):
            pass
    except csv.Error as error:
        quoting, strict = (csv.QUOTE_NONE if "unexpected end" in str(error) else csv.QUOTE_MINIMAL), False
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, quoting=quoting, strict=strict)
    return (Row(number, [tidy_cell(cell) for cell in cells]) for number, cells in enumerate(reader, start=1))


def _without_hint(text: str) -> str:
    """The text without the line "sep=;" with which some programs tell Excel the delimiter; it shows no row for it."""
    first, _, rest = text.partition("\n")
    return rest if first.strip().strip('"').lower() in {f"sep={delimiter}" for delimiter in _DELIMITERS} else text


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
