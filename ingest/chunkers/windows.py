"""Chunks that follow each other at a fixed size, the next one beginning within the end of the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ingest.chunkers.bounds import after_blanks, stripped
from language import Span


def windows(text: str, reach: Callable[[int], int], back: Callable[[int, int], int]) -> Iterator[Span]:
    """The spans, without blanks around them, from the text's first character to its last.

    `reach(start)` is where a chunk from `start` on ends at most; `back(start, end)` where the one after it begins. A chunk that
    would bring nothing new begins where the one before it ended.
    """
    start, stop = after_blanks(text, 0, len(text)), len(text.rstrip())
    while start < stop:
        end = min(stop, max(start + 1, reach(start)))
        piece = stripped(text, start, end)
        if piece:
            yield piece
        if end >= stop:
            return
        following = after_blanks(text, back(start, end), end)
        bare = after_blanks(text, end, stop)
        start = following if start < following < end and bare < reach(following) else bare
