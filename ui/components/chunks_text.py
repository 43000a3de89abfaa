"""A document's text with its chunks coloured in it, as HTML for `st.html`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from language import folded
from ui.safe import escape_html

COLOURS = 4


@dataclass(frozen=True)
class Coloured:
    """A chunk at `start:end` of the text; `label` stands at its beginning, `about` shows when the pointer is on it."""

    start: int
    end: int
    label: str
    about: str = ""
    is_off: bool = False


def coloured(text: str, chunks: Sequence[Coloured], *, window: tuple[int, int], found: Sequence[tuple[int, int]] = ()) -> str:
    """The window of the text with the chunks (in order, may overlap) in turning colours; what two share is hatched.

    `found` are spans to mark. All places are offsets into the text.
    """
    low, high = window
    inside = [(number, each) for number, each in enumerate(chunks) if each.start < high and each.end > low]
    edges = {low, high}
    for first, last in [*((each.start, each.end) for _, each in inside), *found]:
        edges |= {place for place in (first, last) if low < place < high}
    parts = [_part(text, part, inside, found) for part in pairwise(sorted(edges))]
    return f'<div class="gb-text">{"".join(parts)}</div>'


def occurrences(text: str, words: str, *, most: int = 2000) -> list[tuple[int, int]]:
    """Where the words, as they were typed, stand in the text whatever their case and script; at most so many."""
    if not words.strip():
        return []
    found = re.finditer(re.escape(folded(words.strip())), folded(text), re.IGNORECASE)
    return [match.span() for match, _ in zip(found, range(most), strict=False)]


def _part(text: str, part: tuple[int, int], inside: Sequence[tuple[int, Coloured]], found: Sequence[tuple[int, int]]) -> str:
    start, end = part
    covering = [(number, each) for number, each in inside if each.start <= start and each.end >= end]
    words = escape_html(text[start:end])
    if any(first <= start and last >= end for first, last in found):
        words = f"<mark>{words}</mark>"
    if not covering:
        return words
    number, chunk = covering[-1]
    kinds = ["gb-chunk", f"gb-chunk-{(int(chunk.label) if chunk.label.isdigit() else number) % COLOURS}"]
    kinds += ["gb-shared"] if len(covering) > 1 else []
    kinds += ["gb-off"] if all(each.is_off for _, each in covering) else []
    badge = f'<b class="gb-n">{escape_html(chunk.label)}</b>' if chunk.start == start else ""
    return f'{badge}<span class="{" ".join(kinds)}" title="{escape_html(chunk.about)}">{words}</span>'
