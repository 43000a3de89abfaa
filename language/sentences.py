"""Sentences with their exact places in the text, in any language, none longer than asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sentencex import segment

from language.script import detect, is_cjk, width


class Span(NamedTuple):
    """A piece of a text: `text[start:end]`."""

    start: int
    end: int


_WRAP_WIDTH = 40
_LINE_END = re.compile(r"\n")
_CLAUSE_END = re.compile(r"[，、,;；:：)）\]】»”](?=.)|\s(?=\S)|(?<=[。！？!?.])(?=\S)", re.DOTALL)


def sentences(
    text: str, *, start: int = 0, end: int | None = None, longest: float = 450, language: str | None = None
) -> list[Span]:
    """The sentences of `text[start:end]`, in order, without blanks around them; together they cover every non-blank character.

    A line end closes a sentence unless the line is wrapped prose. A sentence wider than `longest` (language.width) is cut at
    the last clause or blank before that, or else inside a word. Sentence ends are found by sentencex, by the rules
    of `language` (language.detect), without which it is detected from the start on.
    """
    stop = len(text) if end is None else end
    language = language or detect(text[start : start + 20_000])
    found: list[Span] = []
    for block in _blocks(text, start, stop):
        place = block.start
        for piece in segment(language, text[block.start : block.end]):
            found.extend(_bounded(text, _stripped(text, place, place + len(piece)), longest))
            place += len(piece)
    return found


def _blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Runs of lines that are one piece of prose: a line is joined to the next when it looks wrapped."""
    begin = start
    for match in _LINE_END.finditer(text, start, end):
        if not _wrapped(text, begin, match.start(), match.end(), end):
            yield Span(begin, match.end())
            begin = match.end()
    if begin < end:
        yield Span(begin, end)


def _wrapped(text: str, begin: int, line_end: int, next_line: int, end: int) -> bool:
    """Whether the sentence goes on in the next line: a long line that ends in mid-sentence, then a small letter or CJK."""
    if next_line >= end or line_end == begin:
        return False
    line_begin = max(begin, text.rfind("\n", begin, line_end) + 1)
    last, first = text[line_end - 1], text[next_line]
    goes_on = last.islower() or last in ",-–—，、" or is_cjk(last)
    return goes_on and (first.islower() or is_cjk(first)) and width(text[line_begin:line_end]) >= _WRAP_WIDTH


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Span(start + left, start + max(left, len(piece.rstrip())))


def _bounded(text: str, span: Span, longest: float) -> Iterator[Span]:
    """The span, or pieces of it that are at most `longest` wide."""
    start, end = span
    while start < end:
        room = _fitting(text, start, end, longest)
        if start + room >= end:
            yield Span(start, end)
            return
        piece = text[start : start + room]
        cuts = [m.end() for m in _CLAUSE_END.finditer(piece) if m.end() > room // 2]
        cut = start + (cuts[-1] if cuts else room)
        yield _stripped(text, start, cut)
        start = _stripped(text, cut, end).start


def _fitting(text: str, start: int, end: int, longest: float) -> int:
    """How many characters from `start` are at most `longest` wide (at least one)."""
    low, high = 1, min(end - start, max(1, int(longest)))
    if width(text[start : start + high]) <= longest:
        return high  # as most sentences do
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width(text[start : start + middle]) <= longest else (low, middle - 1)
    return low
