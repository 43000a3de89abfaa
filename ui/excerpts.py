"""A part of a text as HTML: begun and ended between words, without the marks of headings, and with spans marked exactly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from ingest.chunkers.sections import sections
from language import is_cjk
from ui.safe import escape_html

Span = tuple[int, int]
_SENTENCE_START = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？；])[”’」』）]*\s*|\n\s*")
_HEADING_MARK = re.compile(r" {0,3}#{1,6}[ \t]+")
# The formats whose text is Markdown (ingest/loaders): in others a # at the start of a line is a comment or a number.
_MARKDOWN = frozenset({".md", ".markdown", ".html", ".htm", ".xhtml", ".docx"})
_WIDE_MARKS = frozenset("，。、；：！？“”‘’「」『』（）《》【】…—")


def window(text: str, start: int, stop: int, *, around: int) -> Span:
    """Where to begin and end to show `text[start:stop]` with about `around` characters before and after it.

    It begins with a sentence, else with a word, and ends with a word; between Chinese characters it may end anywhere.
    """
    return _begin(text, max(0, start - around), start), _end(text, stop, min(len(text), stop + around))


def heading_marks(text: str, source: str) -> list[Span]:
    """The spans of `## ` and the like, if the file `source` was read as Markdown; not those in fenced code."""
    if PurePath(source).suffix.lower() not in _MARKDOWN:
        return []
    found = ((each.start, _HEADING_MARK.match(text, each.start, each.body)) for each in sections(text, markdown=True))
    return [(start, mark.end()) for start, mark in found if mark]


def parts(text: str, *, size: int) -> list[Span]:
    """The text in parts of at most `size` characters.

    A part ends with a paragraph, else a line, a sentence or a word, if one ends in its second half.
    """
    found, start = list[Span](), 0
    while len(text) - start > size:
        middle, stop = start + size // 2, start + size
        ends = (at + len(mark) for mark in ("\n\n", "\n", "。", " ") if (at := text.rfind(mark, middle, stop)) >= 0)
        end = next(ends, stop)
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]


def marked(text: str, spans: Sequence[Span], *, hidden: Sequence[Span] = (), window: Span | None = None) -> str:
    """The text, or the `window` of it, as HTML with the spans (clipped, may overlap) marked and those `hidden` left out.

    All are offsets into the text; `hidden` are in order and apart from each other.
    """
    low, high = window or (0, len(text))
    pieces, end = [], low
    for start, stop in sorted((max(low, a), min(high, b)) for a, b in spans):
        first = max(start, end)
        if first < stop:
            pieces += [_without(text, (end, first), hidden), f"<mark>{_without(text, (first, stop), hidden)}</mark>"]
            end = stop
    return "".join([*pieces, _without(text, (end, high), hidden)])


def _without(text: str, part: Span, hidden: Sequence[Span]) -> str:
    (start, stop), pieces = part, []
    for first, last in hidden:
        if first < stop and last > start:
            pieces.append(text[start : max(first, start)])
            start = min(last, stop)
    return escape_html("".join([*pieces, text[start:stop]]))


def _begin(text: str, place: int, start: int) -> int:
    """The first place from `place` on to begin at, at most `start`."""
    if place == 0:
        return 0
    sentence = (found.end() for found in _SENTENCE_START.finditer(text, place, start) if found.end() < start)
    word = (each for each in range(place, start) if _starts_word(text[each - 1], text[each]))
    return next(sentence, next(word, start))


def _end(text: str, stop: int, place: int) -> int:
    """The last place up to `place` to end at, at least `stop`; in the middle of a word if there is no other."""
    if place == len(text):
        return place
    return next((each for each in range(place, stop, -1) if _ends_word(text[each - 1], text[each])), stop or place)


def _starts_word(before: str, here: str) -> bool:
    if here.isspace() or here in _WIDE_MARKS:
        return False
    return before.isspace() or is_cjk(here) or is_cjk(before) or before in _WIDE_MARKS


def _ends_word(last: str, after: str) -> bool:
    if last.isspace() or after in _WIDE_MARKS:
        return False
    return after.isspace() or is_cjk(last) or is_cjk(after) or last in _WIDE_MARKS
