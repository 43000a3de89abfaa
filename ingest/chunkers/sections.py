"""Sections of a Markdown text: each heading with the text below it, and the path of headings above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_MARKUP = re.compile(r"[*_`]+|!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Section:
    """`text[start:end]`; the heading's own line lies before `body`. `path` holds the headings from the top one down to this."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]
    continued: bool = False
    """Whether it goes on with the section before, on the next page."""

    def on_pages(self, page_starts: Sequence[int]) -> list[Section]:
        """The section, cut where a page begins in its body."""
        cuts = [self.body, *(place for place in page_starts if self.body < place < self.end), self.end]
        rest = [Section(a, a, b, self.path, continued=True) for a, b in pairwise(cuts[1:])]
        return [replace(self, end=cuts[1]), *rest]

    def within(self, start: int, end: int) -> Section:
        """The part of the section that lies in this span of the text."""
        if start <= self.start and self.end <= end:
            return self
        first, last = max(self.start, start), min(self.end, end)
        return Section(first, min(max(self.body, first), last), last, self.path, self.continued or first > self.start)


def sections(text: str, *, markdown: bool) -> list[Section]:
    """The sections in order; they follow each other without gaps. Text that is not Markdown is one section."""
    if not markdown:
        return [Section(0, 0, len(text), ())]
    headings = list(_headings(text))
    first = headings[0][0] if headings else len(text)
    found = [Section(0, 0, first, ())] if first else []
    path: list[tuple[int, str]] = []
    for number, (start, body, level, title) in enumerate(headings):
        path = [*(entry for entry in path if entry[0] < level), (level, title)]
        end = headings[number + 1][0] if number + 1 < len(headings) else len(text)
        found.append(Section(start, body, end, tuple(name for _, name in path if name)))
    return found


def _headings(text: str) -> Iterator[tuple[int, int, int, str]]:
    """(start of its line, start of the next, level, title) of each heading outside fenced code."""
    fence, place = "", 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line.strip().strip(fence[0]))):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _HEADING.match(line.rstrip("\r\n"))
        if heading:
            yield place, place + len(line), len(heading[1]), _MARKUP.sub(r"\1", heading[2]).strip()
        place += len(line)
