"""Where a passage that a person expected to be found stands in the documents, if it does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from language import folded, term_set
from retrievers.layers import Searched
from store.library import Base, Library

NEAR = 0.6
"""A chunk that holds this share of the expected text's terms is taken for what was meant, when the text itself is nowhere."""
MOST_PLACES = 5


@dataclass(frozen=True)
class Place:
    """A span of a document that is, or is near to, the expected text."""

    base: Base
    doc_id: str
    start: int
    end: int
    exact: bool = True
    is_chunk: bool = False
    """A chunk was asked for by its id."""


def places_of(expected: str, library: Library, bases: Sequence[tuple[Base, Searched]]) -> list[Place]:
    """The places of the text, or of the chunk with that id; blanks, case, width and script do not matter. [] if nowhere."""
    found = _by_id(expected.strip(), bases) or list(islice(_by_text(expected, library, bases), MOST_PLACES))
    return found or _by_words(expected, bases)


def _by_id(key: str, bases: Sequence[tuple[Base, Searched]]) -> list[Place]:
    if not re.fullmatch(r"[0-9a-f]{32}", key):
        return []
    return [
        Place(base, chunk.metadata["doc_id"], chunk.metadata["start"], chunk.metadata["end"], is_chunk=True)
        for base, searched in bases
        for chunk in searched.store.candidates([key])
    ]


def _by_text(expected: str, library: Library, bases: Sequence[tuple[Base, Searched]]) -> Iterator[Place]:
    wanted, _ = _in_one_form(expected)
    if not wanted:
        return
    for base, _ in bases:
        for document in library.documents(base, statuses=["ready"]):
            text = library.text(document.doc_id)
            same, offsets = _in_one_form(text)
            at = same.find(wanted)
            while at >= 0:
                yield Place(base, document.doc_id, offsets[at], offsets[at + len(wanted) - 1] + 1)
                at = same.find(wanted, at + len(wanted))


def _by_words(expected: str, bases: Sequence[tuple[Base, Searched]]) -> list[Place]:
    wanted = term_set(expected)
    scored: list[tuple[float, Place]] = []
    for base, searched in bases:
        for chunk, _ in searched.store.search_text(expected, depth=MOST_PLACES, where=searched.store.census.condition()):
            share = len(wanted & term_set(chunk.page_content)) / max(1, len(wanted))
            known = chunk.metadata
            if share >= NEAR and "doc_id" in known:
                scored.append((share, Place(base, known["doc_id"], known["start"], known["end"], exact=False)))
    return [place for _, place in sorted(scored, key=lambda scored: -scored[0])[:1]]


def _in_one_form(text: str) -> tuple[str, list[int]]:
    """The text without blanks, in one case, width and script, and for each of its characters the place in the original."""
    characters, offsets = [], []
    for place, character in enumerate(folded(text)):
        for same in unicodedata.normalize("NFKC", character).casefold():
            if not same.isspace():
                characters.append(same)
                offsets.append(place)
    return "".join(characters), offsets
