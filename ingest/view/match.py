"""Which characters of a page a text is made of, although the two are not written alike.

The stored text of a page was put together anew (ingest/loaders/layout): columns in reading order, words whole that a line's end
parted, tables as Markdown, headers and footers left out, ligatures and radicals as people type them. A page has its characters
in the order in which a program drew them. So both are compared letter by letter, without blanks, hyphens, case and marks of
Markdown, in full width or half. Runs of letters may stand in another order; of several like ones the longest counts, then the one
that goes on where the last run ended (greedy string tiling: Wise, "String similarity via greedy string tiling", 1993).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from ingest.loaders.clean import fold_lookalikes

_RUN = 3
"""Letters that a run has at least."""
_AHEAD, _BACK = 48, 16
"""Like places that are compared: a page full of one letter would take forever."""
_UNTOLD = frozenset("|#\\*`")
_NO_LETTERS = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Pd"})


def matches(text: str, page: Sequence[str]) -> dict[int, int]:
    """The number of the page's character for each place of the text that was found.

    A character of the page may be several letters (a ligature). Blanks, hyphens and the like have no place.
    """
    wanted, places = _letters(text)
    given, numbers = _letters(page)
    found = _runs(wanted, given)
    _fill(found, wanted, given)
    return {places[here]: numbers[there] for here, there in found.items()}


def count_letters(text: str) -> int:
    """How many characters of the text could be found on a page."""
    return sum(bool(_folded(character)) for character in text)


def _letters(pieces: Iterable[str]) -> tuple[str, list[int]]:
    """All letters of the pieces, and the number of the piece that each is from."""
    letters: list[str] = []
    numbers: list[int] = []
    for number, piece in enumerate(pieces):
        folded = _folded(piece)
        letters.append(folded)
        numbers.extend([number] * len(folded))
    return "".join(letters), numbers


@lru_cache(maxsize=8192)
def _folded(piece: str) -> str:
    same = unicodedata.normalize("NFKC", fold_lookalikes(piece)).casefold()
    return "".join(ch for ch in same if ch not in _UNTOLD and unicodedata.category(ch) not in _NO_LETTERS)


def _runs(wanted: str, given: str) -> dict[int, int]:
    starts: dict[str, list[int]] = defaultdict(list)
    for place in range(len(given) - _RUN + 1):
        starts[given[place : place + _RUN]].append(place)
    found: dict[int, int] = {}
    taken = bytearray(len(given))
    here = expected = 0
    while here <= len(wanted) - _RUN:
        best = longest = 0
        for there in _near(starts.get(wanted[here : here + _RUN], ()), expected):
            length = _length(wanted, here, given, there, taken)
            if length > longest:
                best, longest = there, length
        if longest < _RUN:
            here += 1
            continue
        for step in range(longest):
            found[here + step] = best + step
            taken[best + step] = 1
        here, expected = here + longest, best + longest
    return found


def _near(places: Sequence[int], expected: int) -> Iterator[int]:
    """From where the last run ended onwards, then those before it, the nearest first."""
    middle = bisect_left(places, expected)
    yield from places[middle : middle + _AHEAD]
    yield from reversed(places[max(0, middle - _BACK) : middle])


def _length(wanted: str, here: int, given: str, there: int, taken: bytearray) -> int:
    most = min(len(wanted) - here, len(given) - there)
    length = 0
    while length < most and wanted[here + length] == given[there + length] and not taken[there + length]:
        length += 1
    return length


def _fill(found: dict[int, int], wanted: str, given: str) -> None:
    """Letters too few for a run, such as a cell's number: beside the run before or after them, or the only ones of the page."""
    taken = set(found.values())
    for before, after in pairwise([-1, *sorted(found), len(wanted)]):
        piece = wanted[before + 1 : after]
        if not 0 < len(piece) < _RUN:
            continue
        follows = found[before] + 1 if before in found else 0
        precedes = (found[after] if after in found else len(given)) - len(piece)
        for there in (follows, precedes, _only(given, piece)):
            places = range(there, there + len(piece))
            if there >= 0 and given[there : there + len(piece)] == piece and taken.isdisjoint(places):
                found.update(zip(range(before + 1, after), places, strict=True))
                taken.update(places)
                break


def _only(given: str, piece: str) -> int:
    first = given.find(piece)
    return first if first >= 0 and given.find(piece, first + 1) < 0 else -1
