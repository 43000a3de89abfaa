"""What differs between two texts, as places in the first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

NEAR = 4
"""Changes with fewer characters between them are one."""
MOST_COMPARED = 400_000
"""Pairs of words between the equal ends of both texts that are compared; of more, all between the ends is what differs."""
_WORD = re.compile(r"\s+|[a-zA-Z0-9]+|.", re.DOTALL)


def changes(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, new text) of what differs, in order, as places in `before`, which is not empty.

    Each span holds one character at least, and with all of them replaced `before` is `after`.
    """
    for first, last, begin, end in _joined(before, after):
        if first < last:
            yield first, last, after[begin:end]
        elif first:  # what is put between two characters takes the place of one of them
            yield first - 1, last, after[begin - 1 : end]
        else:
            yield first, last + 1, after[begin : end + 1]


def _joined(before: str, after: str) -> Iterator[tuple[int, int, int, int]]:
    """The places in both texts where they differ, at least `NEAR` characters apart."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    at, at_new = [0, *accumulate(map(len, old))], [0, *accumulate(map(len, new))]
    joined: tuple[int, int, int, int] | None = None
    for a, b, c, d in _differing(old, new):
        block = at[a], at[b], at_new[c], at_new[d]
        if joined and block[0] - joined[1] < NEAR:
            joined = joined[0], block[1], joined[2], block[3]
        else:
            if joined:
                yield joined
            joined = block
    if joined:
        yield joined


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The numbers of the words that differ."""
    least = min(len(old), len(new))
    head = next((i for i in range(least) if old[i] != new[i]), least)
    tail = next((i for i in range(least - head) if old[-1 - i] != new[-1 - i]), least - head)
    middle, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(middle) * len(other) > MOST_COMPARED:
        yield head, len(old) - tail, head, len(new) - tail
        return
    for kind, a, b, c, d in SequenceMatcher(None, middle, other, autojunk=False).get_opcodes():
        if kind != "equal":
            yield head + a, head + b, head + c, head + d
