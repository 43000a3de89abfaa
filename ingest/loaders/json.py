"""JSON, and JSON values one after the other or a line each (.jsonl): records as paragraphs, documents as sections."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document

from ingest.errors import Reason
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file
from ingest.loaders.nest import escape_text
from ingest.loaders.records import Pairs, blocks_of, record_of

_BLANK = re.compile(r"[ \t\n\r\ufeff]*")
_AT_ONCE = 500_000  # characters of one Document
_MOST_NAMED = 20  # malformed lines that are named


class JsonLoader(FileLoader):
    """JSON as Markdown. The items of an array are read one after the other, so that only their text is held."""

    lines = False
    """Whether each line is a value of its own."""

    def lazy_load(self) -> Iterator[Document]:
        """The data; as plain text, with the reason in `skipped`, when it is no JSON. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        known: dict[str, Any] = {"encoding": decoded.encoding, "encoding_confidence": decoded.confidence}
        blocks, wrong = self._blocks(decoded.text)
        if blocks is None:
            yield self.document(decoded.text, "text", skipped=wrong, **known)
            return
        for number, text in enumerate(_joined(blocks)):
            yield self.document(text, "markdown", skipped=wrong if wrong and not number else None, **known)

    def _blocks(self, text: str) -> tuple[list[str] | None, list[list[str]]]:
        """The blocks, or None when the text is no JSON, and what is wrong with which line."""
        if not self.lines:
            try:
                return [block for value in values_of(text) for block in value], []
            except (ValueError, RecursionError) as error:
                wrong = [
                    [_where(error), Reason(f"{_why(error)}. The file is read as plain text", "part_no_json", why=_why(error))]
                ]
            first = next((line for line in text.splitlines() if line.strip()), "")
            if len(first.strip()) < 2 or not _is_json(first):
                return None, wrong
        blocks, wrong, count = _of_lines(text)
        return (None, wrong) if count and len(wrong) > count / 2 else (blocks, wrong[:_MOST_NAMED])


class JsonLinesLoader(JsonLoader):
    """A JSON value a line. Lines that are none are kept as they are, and named."""

    lines = True


def decoder() -> json.JSONDecoder:
    """Numbers stay as they are written, keys that come twice both stay."""
    return json.JSONDecoder(object_pairs_hook=Pairs, parse_float=str, parse_int=str, parse_constant=str, strict=False)


def values_of(text: str) -> Iterator[list[str]]:
    """The blocks of each value, of an array of each item. Raises ValueError for what is no JSON, RecursionError for too deep."""
    decode, place = decoder(), _skip(text, 0)
    while place < len(text):
        if text[place] == "[":
            place = _skip(text, place + 1)
            more = text[place : place + 1] != "]"
            while more:
                value, place = decode.raw_decode(text, place)
                yield list(record_of(value)) if isinstance(value, Pairs) else list(blocks_of(value))
                place = _skip(text, place)
                more = text[place : place + 1] == ","
                if not more and text[place : place + 1] != "]":
                    raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
                place = _skip(text, place + 1) if more else place
            place = _skip(text, place + 1)
        else:
            value, place = decode.raw_decode(text, place)
            yield list(blocks_of(value))
            place = _skip(text, place)


def _of_lines(text: str) -> tuple[list[str], list[list[str]], int]:
    blocks: list[str] = []
    wrong: list[list[str]] = []
    count, decode = 0, decoder()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        count += 1
        try:
            value = decode.decode(line)
            blocks.extend(record_of(value))
        except (ValueError, RecursionError) as error:
            blocks.append(escape_text(line).text)
            wrong.append(
                [f"line {number}", Reason(f"{_why(error)}. The line is read as plain text", "part_no_json", why=_why(error))]
            )
    return blocks, wrong, count


def _skip(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _where(error: Exception) -> str:
    return f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "…"


def _why(error: Exception) -> str:
    reason = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep"
    return f"it is malformed: {reason}"


def _joined(blocks: list[str]) -> Iterator[str]:
    """The blocks as few texts; at least one."""
    parts: list[str] = []
    size = 0
    for block in blocks:
        parts.append(clean(block))
        size += len(parts[-1])
        if size > _AT_ONCE:
            yield "\n\n".join(parts)
            parts, size = [], 0
    if parts or not blocks:
        yield "\n\n".join(parts)
