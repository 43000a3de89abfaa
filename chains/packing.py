"""Which of the contexts a chat model is given: the best ones that fit, under the numbers by which they are shown and cited."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from retrievers import Context

Numbered = Mapping[int, Context]
"""Contexts by the n of [n], in reading order: the place among all that were found, so that numbers may be missing."""


def numbered(contexts: Sequence[Context]) -> Numbered:
    """All contexts, from 1."""
    return dict(enumerate(contexts, start=1))


def packed(contexts: Sequence[Context], max_chars: int) -> Numbered:
    """From the best context down until the next one does not fit; the best always, so that there is something to answer from."""
    found, used, kept = numbered(contexts), 0, set[int]()
    for n in _best_first(found):
        used += len(found[n].read_text)
        if kept and used > max_chars:
            break
        kept.add(n)
    return _only(found, kept)


def half(contexts: Numbered) -> Numbered:
    """The better half of the contexts, one at least."""
    return _only(contexts, _best_first(contexts)[: max(1, len(contexts) // 2)])


def _best_first(contexts: Numbered) -> list[int]:
    """Their numbers by relevance, which is told where the reading order is another (retrievers/order.py)."""
    return sorted(contexts, key=lambda n: contexts[n].rank or n)


def _only(contexts: Numbered, kept: Collection[int]) -> Numbered:
    return {n: context for n, context in contexts.items() if n in kept}
