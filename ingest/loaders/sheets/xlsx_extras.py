"""What openpyxl's read-only mode does not tell of a sheet: merged cells, comments, formulas without a result, text boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.loaders.ooxml import related
from ingest.loaders.package import Package
from ingest.loaders.sheets.grid import Merged, tidy_cell

_PIECE = 1 << 20
_OVERLAP = 1024
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_NO_RESULT = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f(?:\s[^>]*)?/>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_THREAD = re.compile(r"^\[.*?\n\s*(?:Comment|评论|批注|注释|コメント)\s*[:：]\s*", re.DOTALL)
"""How Excel begins what it writes for older versions in place of a conversation."""


@dataclass(frozen=True)
class Extras:
    """Merged cells, comments by (row from 1, column from 0), whether there are formulas without a result, texts in boxes."""

    merged: tuple[Merged, ...] = ()
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    not_computed: bool = False
    boxes: tuple[str, ...] = ()


def extras_of(package: Package, part: str) -> Extras:
    """What the part of a sheet holds of these, searched for in its bytes as they are unpacked; merged cells come last."""
    merged: set[tuple[bytes, ...]] = set()
    not_computed = False
    with package.archive.open(part) as stream:
        window = b""
        while piece := stream.read(_PIECE):
            window = window[-_OVERLAP:] + piece
            merged.update(match.groups() for match in _MERGED.finditer(window))
            not_computed = not_computed or bool(_NO_RESULT.search(window))
    areas = sorted(
        Merged(int(top), column_of(left.decode()), int(bottom), column_of(right.decode())) for left, top, right, bottom in merged
    )
    return Extras(tuple(areas), _comments(package, part), not_computed, tuple(_boxes(package, part)))


def column_of(letters: str) -> int:
    """The column of its letters: 0 for A, 26 for AA."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _comments(package: Package, part: str) -> dict[tuple[int, int], str]:
    found: dict[tuple[int, int], str] = {}
    for kind, target in related(package, part).values():
        root = package.xml(target) if kind == "comments" else None
        if root is None:
            continue
        authors = [author.text or "" for author in root.iter(f"{_S}author")]
        for comment in root.iter(f"{_S}comment"):
            place = re.fullmatch(r"([A-Z]{1,3})(\d{1,7})", comment.get("ref", ""))
            if place:
                text = "".join(each.text or "" for each in comment.iter(f"{_S}t"))
                found[int(place[2]), column_of(place[1])] = _signed(text, authors, comment.get("authorId", ""))
    return {place: text for place, text in found.items() if text}


def _boxes(package: Package, part: str) -> Iterator[str]:
    """The texts of text boxes and other shapes that lie on the sheet."""
    for kind, target in related(package, part).values():
        root = package.xml(target) if kind == "drawing" else None
        for body in () if root is None else root.iter("{*}txBody"):
            lines = ("".join(each.text or "" for each in line.iter("{*}t")).strip() for line in body.iterchildren("{*}p"))
            text = "\n".join(line for line in lines if line)
            if text:
                yield text


def _signed(text: str, authors: list[str], number: str) -> str:
    """The comment after its author's name, which Excel puts into the text as well."""
    author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
    words = " ".join(tidy_cell(_THREAD.sub("", text)).split())
    known = author and not author.startswith("tc=") and not words.startswith(author)
    return f"{author}: {words}" if known and words else words
