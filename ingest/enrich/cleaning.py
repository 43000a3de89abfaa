"""Cleaning of a text before it is cut: signs that are searched for in another form, words parted at line ends, repeated lines.

What is left is the document's text: it is stored, and every chunk is a slice of it. The loaders have taken out controls, marks of
byte order and soft hyphens before (ingest/loaders/clean.py), and the lines of a PDF are joined by its layout.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from ingest.document import LoadedDocument
from ingest.loaders.clean import fold_lookalikes
from language import width
from settings.enrich import CleaningSettings

_INVISIBLE = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+|[\u202a-\u202e\u2066-\u2069]")
"""Tags, which hide words from a reader (but in flags), and what turns the direction of the text around."""
_LOOKALIKES = re.compile(r"[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufb06\U0002f800-\U0002fa1f]+")
_HYPHEN = re.compile(r"(?<![\w-])((?:[^\W\d_]+-)*)([^\W\d_]+)([-\u2010])[ \t]*\n[ \t]*(?=([^\W\d_]+))")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_JOINING = frozenset("and or to und oder bis sowie et ou y o e of the".split())
"""After "pre-" at a line's end, these begin "pre- and post-war": no word was parted."""
_LINE = re.compile(r"^[ \t]*(\S.*?)[ \t]*$\n?", re.MULTILINE)
_NO_BOILERPLATE = re.compile(r"[|#>*+`~-]|\d{1,3}[.)]\s")
_LEAST, _NARROWEST, _WIDEST = 5, 6, 160
_UNEVEN = 2.5
"""Repeated lines of pages come at about the same distance: the largest and the smallest differ by this much at most."""


class Cut(NamedTuple):
    """`text` instead of what stands at start:end."""

    start: int
    end: int
    text: str


def cleaned(document: LoadedDocument, chosen: CleaningSettings, *, prose: bool) -> LoadedDocument:
    """The document with a cleaned text, to which its pages and rows are fitted; of code and data only hidden signs go."""
    if not chosen.enabled:
        return document
    document = _changed(document, _signs(document.text, fold=prose))
    if prose and chosen.hyphens:
        document = _changed(document, _hyphens(document.text, markdown=document.markdown))
    if prose and chosen.boilerplate:
        cuts = list(_boilerplate(document.text))
        told = Counter(document.text[cut.start : cut.end].strip() for cut in cuts)
        document = replace(_changed(document, cuts), left_out=tuple(told.items()))
    return document


def _signs(text: str, *, fold: bool) -> list[Cut]:
    """Hidden signs; with `fold`, also ligatures and radicals as the letters that people type."""
    if text.isascii():
        return []
    cuts = [Cut(*match.span(), "") for match in _INVISIBLE.finditer(text)]
    if fold:
        for match in _LOOKALIKES.finditer(text):
            folded = fold_lookalikes(match[0])
            if folded != match[0]:
                cuts.append(Cut(*match.span(), folded))
    return sorted(cuts)


def _hyphens(text: str, *, markdown: bool) -> list[Cut]:
    """The line ends within words. A compound keeps its hyphen: it is known by its other places, or by both of its halves."""
    found = list(_HYPHEN.finditer(text))
    if not found:
        return []
    fences = [match.span() for match in _FENCE.finditer(text)] if markdown else []
    words = set(_WORDS.findall(text.lower()))
    cuts = []
    for match in found:
        if match[4][0].islower() and match[4].lower() not in _JOINING and not _within(match.start(), fences):
            parted = _is_parted(match[1], match[2].lower(), match[4].lower(), words)
            cuts.append(Cut(match.start(3) if parted else match.end(3), match.end(), ""))
    return cuts


def _is_parted(before: str, head: str, rest: str, words: set[str]) -> bool:
    whole, compound = head + rest, f"{head}-{rest}"
    if compound in words or whole in words:
        return whole in words
    if before or len(head) == 1:  # end-to-\nend, x-\nray
        return False
    return not (min(len(head), len(rest)) > 3 and head in words and rest in words)


def _boilerplate(text: str) -> Iterator[Cut]:
    """Lines that come again and again at even distances, but for the first: headers and footers of pages that were printed."""
    lines: dict[str, list[tuple[int, int]]] = {}
    for match in _LINE.finditer(text):
        if _NARROWEST <= width(match[1]) <= _WIDEST and not _NO_BOILERPLATE.match(match[1]):
            lines.setdefault(match[1], []).append(match.span())
    cuts = []
    for places in lines.values():
        if len(places) >= _LEAST:
            steps = [after[0] - before[0] for before, after in pairwise(places)]
            apart = min(steps) > 4 * (places[0][1] - places[0][0])
            if apart and max(steps) <= _UNEVEN * min(steps):
                cuts += [Cut(*place, "") for place in places[1:]]
    yield from sorted(cuts)


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    number = bisect_right(spans, place, key=lambda span: span[0])
    return number > 0 and place < spans[number - 1][1]


def _changed(document: LoadedDocument, cuts: Sequence[Cut]) -> LoadedDocument:
    """The document with these cuts, which are in order and apart, and its pages and rows where their text is now."""
    if not cuts:
        return document
    pieces, end = list[str](), 0
    for cut in cuts:
        pieces += [document.text[end : cut.start], cut.text]
        end = cut.end
    pieces.append(document.text[end:])
    starts = [cut.start for cut in cuts]
    shifts = [0, *accumulate(len(cut.text) - (cut.end - cut.start) for cut in cuts)]

    def moved(place: int) -> int:
        number = bisect_right(starts, place)
        if number and place < cuts[number - 1].end:
            return cuts[number - 1].start + shifts[number - 1] + min(place - starts[number - 1], len(cuts[number - 1].text))
        return place + shifts[number]

    pages = tuple(page._replace(start=moved(page.start), end=moved(page.end)) for page in document.pages)
    rows = tuple(row._replace(start=moved(row.start), end=moved(row.end)) for row in document.rows)
    return replace(document, text="".join(pieces), pages=pages, rows=rows)
