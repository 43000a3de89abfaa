"""Segments: consecutive sentences packed to about 75 tokens, never across a heading. Each is embedded once; all else is derived.

Chunk vectors, breakpoints, MaxSim, the extractive answer and the highlights come from the segments' vectors.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ingest.chunkers.bounds import stripped
from ingest.chunkers.sections import Section, sections
from language import Span, detect, sentences, width

ROOM = 1.5
"""A segment may be this much wider than asked for, so that a last sentence need not stand alone."""
LONGEST_PREFIX = 160


@dataclass(frozen=True)
class Segment:
    """`text[start:end]` is embedded behind `path`; from `lead` on also the heading lines above it, which belong to its chunk."""

    start: int
    end: int
    lead: int
    path: tuple[str, ...] = ()
    opens_section: bool = False


def split_segments(
    text: str, *, size: float, markdown: bool = False, page_starts: Sequence[int] = (), cuts: Sequence[int] = ()
) -> list[Segment]:
    """The segments of a text in order, from lead to end at most twice `size` wide; each non-blank character is in one of them.

    None crosses a heading or the start of a page, so that each can be cited with its page, nor one of the `cuts`.
    """
    parts = [part for whole in sections(text, markdown=markdown) for part in whole.on_pages(page_starts)]
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(text)}), len(text)]
    found: list[Segment] = []
    for start, end in pairwise(edges):
        first = bisect_right(parts, start, key=lambda part: part.end)
        last = bisect_left(parts, end, first, key=lambda part: part.start)
        language = detect(text[start:end]) if cuts else None  # once, of itself: parts are many and may be small
        inside = [part.within(start, end) for part in parts[first:last]]
        found.extend(_between_cuts(text, inside, size, _Region(end, language)))
    return found


class _Region(NamedTuple):
    """A part of a text that no segment leaves, and its language where it is known."""

    end: int
    language: str | None


def _between_cuts(text: str, parts: Sequence[Section], size: float, region: _Region) -> Iterator[Segment]:
    lead: int | None = None
    for section in parts:
        lead = section.start if lead is None else lead
        body = _body(text, section, lead, size)
        packed = list(_packed(text, _sentences(text, Span(body, section.end), size, region.language), size))
        if not packed:
            continue  # a heading without text leads to the next section
        starts = lead if width(text[lead : packed[0].start]) <= size / 2 else packed[0].start
        for number, span in enumerate(packed):
            first = number == 0
            opens = first and (not section.continued or lead < section.start)
            yield Segment(span.start, span.end, starts if first else span.start, section.path, opens_section=opens)
        lead = None
    if lead is not None:
        for span in _packed(text, _sentences(text, Span(lead, region.end), size, region.language), size):
            yield Segment(span.start, span.end, span.start)


def _sentences(text: str, span: Span, size: float, language: str | None) -> list[Span]:
    """The sentences; of what is narrower than a segment, all in one, since they would be packed together."""
    start, end = span
    if end - start < size and width(text[start:end]) < size:
        whole = stripped(text, start, end)
        return [whole] if whole else []
    return sentences(text, start=start, end=end, longest=size * ROOM, language=language)


def _body(text: str, section: Section, lead: int, size: float) -> int:
    """Where the section's own text begins: below its heading, unless the headings are too wide to be carried along."""
    has_text = bool(text[section.body : section.end].strip())
    return section.body if has_text and width(text[lead : section.body]) <= size / 2 else lead if has_text else section.end


def _packed(text: str, spans: list[Span], size: float) -> Iterator[Span]:
    """Consecutive sentences joined until they are `size` wide, at most `size * ROOM` with what lies between them."""
    start = end = None
    for span in spans:
        if start is not None and end is not None and width(text[start : span.end]) > size * ROOM:
            yield Span(start, end)
            start = None
        start, end = span.start if start is None else start, span.end
        if width(text[start:end]) >= size:
            yield Span(start, end)
            start = None
    if start is not None and end is not None:
        yield Span(start, end)


def heading_prefix(title: str | None, path: tuple[str, ...]) -> str:
    """What stands in front of an embedded text: the title and the headings above it, at most 160 characters."""
    names = list(dict.fromkeys([*([title] if title else []), *path]))
    while len(" / ".join(names)) > LONGEST_PREFIX and len(names) > 1:
        names.pop(1 if len(names) > 2 else 0)
    return " / ".join(names)[:LONGEST_PREFIX]
