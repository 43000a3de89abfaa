"""A text put below a heading of a larger one in Markdown, so that its headings stay below and its signs stay signs."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DEEPEST = 6


@dataclass(frozen=True)
class Nested:
    """The text, and where what was inserted into it stood before, in order: one place a character."""

    text: str
    inserted: tuple[int, ...]

    def place(self, before: int) -> int:
        """Where a place in the text lies now."""
        return before + bisect_left(self.inserted, before)


def nest_markdown(text: str, levels: int) -> Nested:
    """Markdown with its headings so many levels deeper, six at most, and no code block left open."""
    pieces: list[str] = []
    inserted: list[int] = []
    fence, place = "", 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line.strip().strip(fence[0]))):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _HEADING.match(line)
        if heading:
            more = min(levels, _DEEPEST - len(heading[1]))
            pieces.append(line[: heading.start(1)] + "#" * more + line[heading.start(1) :])
            inserted.extend([place + heading.start(1)] * more)
        else:
            pieces.append(line)
        place += len(line)
    closing = f"{'' if not text or text.endswith(chr(10)) else chr(10)}{fence}" if fence else ""
    return Nested("".join(pieces) + closing, tuple(inserted))


def escape_text(text: str) -> Nested:
    """Plain text whose lines would be headings or code blocks in Markdown, with a backslash in front of their signs."""
    pieces: list[str] = []
    inserted: list[int] = []
    place = 0
    for line in text.splitlines(keepends=True):
        sign = _HEADING.match(line) or _FENCE.match(line)
        if sign:
            pieces.append(f"{line[: sign.start(1)]}\\{line[sign.start(1) :]}")
            inserted.append(place + sign.start(1))
        else:
            pieces.append(line)
        place += len(line)
    return Nested("".join(pieces), tuple(inserted))


def fenced(code: str, language: str = "") -> str:
    """Code as a block that nothing in it can end."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code.rstrip(chr(10))}\n{fence}"
