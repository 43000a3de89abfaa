"""Citations in a model's answer: [n] becomes a link to passage n, and a number that names no passage is taken out."""

from __future__ import annotations

import re
from typing import NamedTuple

from chains.answer import Citation, cite
from chains.packing import Numbered
from retrievers import Context

_MARK = re.compile(r"[\[【［]\^?(\d+(?:\s*[,，、;；\-–—~]\s*\d+)*)(?:†[^\[\]【】［］]*)?[\]】］]")
"""[1], [1, 2], [1-3], [^1], 【1】, ［1］ and 【1†source】, as models write them."""
_NUMBERS = re.compile(r"(\d+)(?:\s*[\-–—~]\s*(\d+))?")


class Resolved(NamedTuple):
    """The text with every citation as [n], the citations in the order of their first mention, and how many were taken out."""

    text: str
    citations: tuple[Citation, ...]
    removed: int


def resolve(text: str, contexts: Numbered) -> Resolved:
    """A model's text with its citations held against what it was given."""
    cited: dict[int, Citation] = {}
    highest, removed = max(contexts, default=0), 0

    def resolved(match: re.Match[str]) -> str:
        nonlocal removed
        named = _named(match[1], highest)
        known = [n for n in named if n in contexts]
        removed += max(1, len(named)) - len(known)  # [3-1] names none
        for n in known:
            cited.setdefault(n, _citation(contexts[n], n))
        return "".join(f"[{n}]" for n in known)

    shown = _MARK.sub(resolved, text)
    return Resolved(shown, tuple(cited.values()), removed)


def _named(numbers: str, highest: int) -> list[int]:
    """The numbers of "1, 3-5"; each once. Whatever is above `highest` counts as the next above it."""
    found: dict[int, None] = {}
    for first, last in _NUMBERS.findall(numbers):
        start = _bounded(first, highest)
        found |= dict.fromkeys(range(start, (_bounded(last, highest) if last else start) + 1))
    return list(found)


def _bounded(digits: str, highest: int) -> int:
    return min(int(digits), highest + 1) if len(digits) <= 9 else highest + 1


def _citation(context: Context, n: int) -> Citation:
    best = max(context.segments, key=lambda segment: segment.score, default=None)
    return cite(context, n=n, start=best.start if best else context.start, end=best.end if best else context.end)
