"""What every cut of a text has to do with: widths in constant time, places where a cut does no harm, sizes, overlaps.

Spans are of one text, in order, without blanks around them. No cut falls inside a character with its combining marks, as long as
there is another place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from language import Span, width

PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n\s*")
LINE_END = re.compile(r"\n")
SENTENCE_END = re.compile(r"[。！？!?…]+[”’」』）)\"']*\s*|\.[”’)\"']*\s+")
CLAUSE_END = re.compile(r"[；;：:，、,][”’」』）)\"']*\s*")
WORD_END = re.compile(r"\s+|(?<=[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af])(?=[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af])")
PLACES = (PARAGRAPH_END, LINE_END, SENTENCE_END, CLAUSE_END, WORD_END)
"""Where a text may be cut, the best kinds first."""
_SOLID = re.compile(r"\S")
_LONGEST_CLUSTER = 32
_JOINERS = "\u200d\ufe0e\ufe0f"
_MODIFIERS = range(0x1F3FB, 0x1F400)
"""Skin tones, which belong to the emoji before them."""


class Ruler:
    """Widths (language.width) of any span of a text, in constant time after one pass."""

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        known, which = np.unique(codes, return_inverse=True)
        halves = np.array([round(2 * width(chr(code))) for code in known], dtype=np.int64)
        self._so_far = np.concatenate(([0], np.cumsum(halves[which] if len(known) else [], dtype=np.int64)))

    def width(self, start: int, end: int) -> float:
        """Width of `text[start:end]`."""
        return float(self._so_far[end] - self._so_far[start]) / 2

    def reach(self, start: int, size: float) -> int:
        """The last place up to which the text from `start` on is at most `size` wide."""
        return int(np.searchsorted(self._so_far, self._so_far[start] + int(2 * size), side="right")) - 1

    def back(self, end: int, size: float) -> int:
        """The first place from which the text up to `end` is at most `size` wide."""
        return int(np.searchsorted(self._so_far, self._so_far[end] - int(2 * size), side="left"))


def stripped(text: str, start: int, end: int) -> Span | None:
    """The span without blanks around it; None when there is nothing else."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Span(start + left, start + len(piece.rstrip())) if left < len(piece) else None


def after_blanks(text: str, start: int, end: int) -> int:
    """The first place from `start` on that holds no blank, or `end`."""
    found = _SOLID.search(text, start, end)
    return found.start() if found else end


def unbroken(text: str, place: int, floor: int) -> int:
    """The place, or the one shortly before it, above `floor`, at which no character is torn from its marks."""
    for candidate in range(place, max(floor, place - _LONGEST_CLUSTER), -1):
        if candidate >= len(text) or not _belongs(text[candidate], text[candidate - 1]):
            return candidate
    return place


def best_cut(text: str, start: int, limit: int, places: Sequence[re.Pattern[str]] = PLACES, *, least: float = 0.5) -> int:
    """Where to end a piece that begins at `start` and must end at `limit`: after the last of the best kind of place.

    A place within the first `least` of the piece does not count. Without any, it is cut inside a word.
    """
    floor = start + int((limit - start) * least)
    for kind in places:
        ends = [match.end() for match in kind.finditer(text, start, limit) if floor < match.end() < limit]
        if ends:
            return ends[-1]
    return unbroken(text, limit, start)


def bounded(text: str, span: Span, size: float, ruler: Ruler) -> Iterator[Span]:
    """The span, or pieces of it that are at most `size` wide (2.5 at least)."""
    start = span.start
    while start < span.end:
        limit = max(start + 1, ruler.reach(start, size))
        cut = span.end if limit >= span.end else best_cut(text, start, limit)
        piece = stripped(text, start, cut)
        if piece:
            yield piece
        start = cut


def joined(spans: Iterable[Span], *, smallest: float, room: float, ruler: Ruler) -> list[Span]:
    """Spans narrower than `smallest` joined with the one before, else the one after, where both fit into `room`."""
    found: list[Span] = []
    for span in spans:
        if found:
            last = found[-1]
            small = min(ruler.width(*last), ruler.width(*span)) < smallest
            if small and ruler.width(last.start, span.end) <= room:
                found[-1] = Span(last.start, span.end)
                continue
        found.append(span)
    return found


def with_overlap(text: str, spans: Sequence[Span], *, overlap: float, size: float, ruler: Ruler) -> list[Span]:
    """Each span with the end of the one before it, at most `overlap` wide, from the start of a sentence, clause or word on.

    None gets wider than `size`.
    """
    if not overlap or not spans:
        return list(spans)
    found = [spans[0]]
    for before, span in pairwise(spans):
        earliest = max(before.start + 1, ruler.back(before.end, overlap), ruler.back(span.end, size))
        start = overlap_start(text, earliest, before.end) if earliest < before.end else span.start
        found.append(Span(after_blanks(text, start, span.start), span.end))
    return found


def overlap_start(text: str, earliest: int, end: int) -> int:
    """Where what is repeated of a text up to `end` begins, from `earliest` on: with a sentence, clause or word."""
    half = earliest + (end - earliest) // 2
    for kind in PLACES[2:]:
        start = next((match.end() for match in kind.finditer(text, max(0, earliest - 1), end) if match.end() >= earliest), end)
        if start <= half:
            return start
    return next((place for place in range(earliest, half) if not _belongs(text[place], text[place - 1])), end)


def _belongs(character: str, before: str) -> bool:
    """Whether a character makes one sign with the one before it."""
    return (
        before == "\u200d"
        or character in _JOINERS
        or ord(character) in _MODIFIERS
        or (character > "\x7f" and unicodedata.category(character) in ("Mn", "Mc", "Me"))
        or (character == "\n" and before == "\r")
    )
