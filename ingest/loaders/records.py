"""Structured data as text that can be searched and cited: key paths with values, a paragraph a record, a section a document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ingest.loaders.markup import whole_markdown
from ingest.loaders.nest import escape_text, nest_markdown

DEEPEST = 30
_TITLES = ("title", "heading", "headline", "subject", "question", "name", "标题", "题目", "主题", "问题", "名称")
_TEXTS = (
    *("text", "content", "body", "page_content", "markdown", "encoded", "answer", "description", "summary"),
    *("正文", "内容", "文本", "答案", "回答", "描述", "摘要"),
)
_LONG = 60  # characters from which a text is a document's, not a value
_LONGEST_TITLE = 200
_ONE_LINE = 200
_LARGE = 1500  # characters from which a part of a record has a heading of its own
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?:data:[\w/+.-]{1,100};base64,)?[A-Za-z0-9+/_-]{400,}={0,2}")
_MARKS = re.compile(r"^ {0,3}[#`~]", re.MULTILINE)
_TAGS = re.compile(r"</(?:p|div|span|a|li|ul|h[1-6]|td|b|strong)>|<br ?/?>", re.IGNORECASE)


class Pairs(list[tuple[str, Any]]):
    """An object with its keys in order, also those that come twice."""


def blocks_of(value: Any, path: str = "", level: int = 1) -> Iterator[str]:
    """Blocks of Markdown, in the order of the data: headings with the paths of large parts, paragraphs of `path: value` lines."""
    if isinstance(value, Pairs):
        yield from _of_object(value, path, level)
    elif isinstance(value, list) and not _is_plain(value):
        for number, item in enumerate(value):
            if isinstance(item, Pairs):
                yield from record_of(item, level)
            else:
                yield from blocks_of(item, f"{path}[{number}]", level)
    else:
        yield from _paragraph(_lines(value, path))


def record_of(record: Any, level: int = 1) -> Iterator[str]:
    """One of many records: a section where it is a document with a title or a text, else a paragraph; nothing of an empty one."""
    if not isinstance(record, Pairs):
        yield from blocks_of(record, level=level)
        return
    text = _field(record, _TEXTS, long=True)
    title = _field(record, _TITLES, long=False)
    if text is None or title is None:
        yield from _of_object(record, "", level)
        return
    rest = [pair for pair in record if pair is not text and pair is not title]
    yield f"{'#' * min(level, 6)} {' '.join(title[1].split())}"
    yield from _of_object(Pairs(rest), "", level + 1)
    body = whole_markdown(text[1]) if _TAGS.search(text[1]) else text[1]
    yield nest_markdown(body.strip("\n"), level).text


def _of_object(value: Pairs, path: str, level: int) -> Iterator[str]:
    lines: list[str] = []
    for key, child in value:
        inner = f"{path}.{key}" if path and key else path or key
        if _is_large(child):
            yield from _paragraph(lines)
            lines = []
            yield f"{'#' * min(level, 6)} {' '.join(inner.split()) or '-'}"
            yield from blocks_of(child, inner, level + 1)
        else:
            lines.extend(_lines(child, inner))
    yield from _paragraph(lines)


def _paragraph(lines: Iterable[str]) -> Iterator[str]:
    text = "\n".join(lines)
    if text.strip():
        yield text


def _lines(value: Any, path: str, depth: int = 0) -> Iterator[str]:
    """A line for each value below `path`. Nothing for null and for what is empty."""
    if isinstance(value, Pairs) and depth < DEEPEST:
        for key, child in value:
            yield from _lines(child, f"{path}.{key}" if path and key else path or key, depth + 1)
    elif isinstance(value, list) and not _is_plain(value) and depth < DEEPEST:
        for number, child in enumerate(value):
            yield from _lines(child, f"{path}[{number}]", depth + 1)
    elif (text := _scalar(value)).strip():
        text = text.strip("\n")
        text = escape_text(text).text if _MARKS.search(text) else text
        yield f"{path}:{chr(10) if chr(10) in text else ' '}{text}" if path else text


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return f"({len(value)} characters of base64)" if _BASE64.fullmatch(value) else value
    if isinstance(value, list):
        return ", ".join(map(_scalar, value)) if _is_plain(value) else json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _is_plain(value: list[Any], depth: int = 0) -> bool:
    """Whether a list holds short values only, such as numbers or words: then it is one line."""
    return not isinstance(value, Pairs) and all(_is_short(item, depth) for item in value)


def _is_short(item: Any, depth: int) -> bool:
    if isinstance(item, list):
        return depth < DEEPEST and bool(item) and _is_plain(item, depth + 1)
    return len(str(item)) <= _ONE_LINE and "\n" not in str(item)


def _is_large(value: Any) -> bool:
    """Whether a part has a heading of its own: many records, or much text in an object."""
    if isinstance(value, Pairs):
        return _size(value) > _LARGE or any(_is_large(child) for _, child in value)
    return (
        isinstance(value, list) and not _is_plain(value) and (_size(value) > _LARGE or any(_is_document(item) for item in value))
    )


def _is_document(item: Any) -> bool:
    return (
        isinstance(item, Pairs) and _field(item, _TEXTS, long=True) is not None and _field(item, _TITLES, long=False) is not None
    )


def _size(value: Any, depth: int = 0) -> int:
    if isinstance(value, Pairs) and depth < DEEPEST:
        return sum(len(key) + _size(child, depth + 1) for key, child in value)
    if isinstance(value, list) and depth < DEEPEST:
        return sum(_size(child, depth + 1) for child in value)
    return len(value) if isinstance(value, str) else 5


def _field(record: Pairs, names: tuple[str, ...], *, long: bool) -> tuple[str, str] | None:
    """The field with the first of these names, or one that ends in it, such as chunk_heading; None where it holds none."""
    found, best = None, len(names)
    for pair in record:
        value = pair[1]
        if isinstance(value, str) and (rank := _rank(pair[0], names)) < best and (_is_text(value) if long else _is_title(value)):
            found, best = pair, rank
    return found


@lru_cache(maxsize=4096)
def _rank(key: str, names: tuple[str, ...]) -> int:
    """Which of the names a key is, or ends in; their number when it is none."""
    last = re.split(r"[_.:-]", key.lower()[-40:])[-1]
    return names.index(last) if last in names else names.index(key.lower()) if key.lower() in names else len(names)


def _is_text(value: str) -> bool:
    return len(value) >= _LONG and not _BASE64.fullmatch(value)


def _is_title(value: str) -> bool:
    return 0 < len(value.strip()) <= _LONGEST_TITLE
