"""What is known of a whole document before its pages become text: its usual size, its words, what its headings look like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.loaders.layout.runs import Row, Run
from language import width

Face = tuple[float, bool]
LARGER = 1.15  # than the body: a heading
_MOST_TEXT = 0.3  # of the document is in one face of headings
_MOST_ROWS = 3
_WIDEST = 160  # of Latin letters
_MOST_LEVELS = 4
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LETTERS = re.compile(r"[^\W\d_]")
_NO_HEADING_END = re.compile(r"[,;，；、。]$|[a-z]{3}\.$")


@dataclass(frozen=True)
class Style:
    """`levels` maps a face (size, bold) to a level of headings; `outline` maps (page, title) to one, and then rules alone."""

    levels: Mapping[Face, int] = field(default_factory=dict)
    outline: Mapping[tuple[int, str], int] = field(default_factory=dict)
    words: frozenset[str] = frozenset()

    def level(self, rows: Sequence[Row], page: int) -> int | None:
        """The level of a heading, 1 to 6; None for what is none."""
        if len(rows) > _MOST_ROWS or not (self.outline or self.levels) or any("\t" in row.text for row in rows):
            return None
        text = " ".join(row.text for row in rows)
        if self.outline:
            return self.outline.get((page, key_of(text)))
        level = self.levels.get((rounded(rows[0].size), rows[0].bold))
        return level if level and looks_like_heading(text) else None


def style_of(pages: Iterable[Sequence[Run]], outline: Mapping[tuple[int, str], int]) -> Style:
    """The style of a document, from the runs of its pages."""
    counts: dict[Face, int] = {}
    words: set[str] = set()
    for runs in pages:
        for run in runs:
            face = rounded(run.size), run.bold
            counts[face] = counts.get(face, 0) + len(run.text)
            words.update(_inner_words(run.text))
    return Style(_levels(counts), outline, frozenset(words))


def _levels(counts: Mapping[Face, int]) -> dict[Face, int]:
    """The faces of headings, the largest first: larger than the body's, or bold where it is not. Each is rare."""
    total = sum(counts.values())
    body, bold = max(counts, key=lambda face: counts[face], default=(0.0, False))
    faces = [
        face
        for face, count in counts.items()
        if (face[0] >= LARGER * body or (face[1] and not bold and face[0] >= body)) and count <= _MOST_TEXT * total
    ]
    return {face: min(place, _MOST_LEVELS) for place, face in enumerate(sorted(faces, reverse=True), start=1)}


def _inner_words(text: str) -> set[str]:
    """The words of a line but the last, which the line's end may have cut."""
    found = [word.lower() for word in _WORDS.findall(text)[:-1]]
    return {*found, *(part for word in found for part in word.split("-"))}


def looks_like_heading(text: str) -> bool:
    """Whether a text may be a heading at all: short, of letters, no whole sentence."""
    letters = len(_LETTERS.findall(text))
    return (
        letters > 1
        and letters >= 0.4 * len(text.replace(" ", ""))
        and width(text) <= _WIDEST
        and not _NO_HEADING_END.search(text)
    )


def rounded(size: float) -> float:
    """Sizes to half a point: fonts of one size differ in their boxes."""
    return round(size * 2) / 2


def key_of(title: str) -> str:
    """A title without blanks, numbering and case: bookmarks and pages write them differently."""
    return re.sub(r"[\W_]+", "", re.sub(r"^[\d.\s]+", "", title)).casefold()
