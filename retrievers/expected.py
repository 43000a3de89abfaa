"""Where a passage that a person expected to be found stands in the documents, if it does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from language import folded, term_set
from retrievers.layers import Searched
from store.edits import PATCH, Edit, with_patches
from store.library import Base, Library, StoredDocument

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
    words: str = ""
    """The text in one form, where it stands there word for word."""
    chunk_id: str = ""
    """Of the chunk that was asked for by its id."""
    is_corrected: bool = False
    """The text stands there in the document, but a person has corrected it, so that it is not what is found and shown."""


def places_of(expected: str, library: Library, bases: Sequence[tuple[Base, Searched]]) -> list[Place]:
    """The places of the text, or of the chunk with that id; blanks, case, width and script do not matter. [] if nowhere.

    Corrected text is looked through as it is shown, and then as the document has it. One more than `MOST_PLACES` at most.
    """
    found = _by_id(expected.strip(), bases) or list(islice(_by_text(expected, library, bases), MOST_PLACES + 1))
    return found or _by_words(expected, bases)


def _by_id(key: str, bases: Sequence[tuple[Base, Searched]]) -> list[Place]:
    if not re.fullmatch(r"[0-9a-f]{32}", key):
        return []
    return [
        Place(base, chunk.metadata["doc_id"], chunk.metadata["start"], chunk.metadata["end"], chunk_id=key)
        for base, searched in bases
        for chunk in searched.store.candidates([key])
    ]


def _by_text(expected: str, library: Library, bases: Sequence[tuple[Base, Searched]]) -> Iterator[Place]:
    wanted, _ = in_one_form(expected)
    if not wanted:
        return
    for base, _ in bases:
        for document in library.documents(base, statuses=["ready"]):
            text = library.text(document.doc_id)
            edits = library.edits(document.doc_id) if document.edited.corrected else []
            yield from _in_document(
                wanted, text, [edit for edit in edits if edit.kind == PATCH and not edit.lost], base, document
            )


def _in_document(wanted: str, text: str, patches: Sequence[Edit], base: Base, document: StoredDocument) -> Iterator[Place]:
    """The places where the text is shown, then those where only the document has it."""
    if patches:
        shown, places = with_patches(text, patches)
        for first, last in _occurrences(wanted, shown):
            yield Place(base, document.doc_id, places[first][0], places[last][1], words=wanted)
    for first, last in _occurrences(wanted, text):
        if not patches:
            yield Place(base, document.doc_id, first, last + 1, words=wanted)
        elif any(patch.start <= last and first < patch.end for patch in patches):
            yield Place(base, document.doc_id, first, last + 1, is_corrected=True)


def _occurrences(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """The places of the first and the last character of each."""
    same, offsets = in_one_form(text)
    at = same.find(wanted)
    while at >= 0:
        yield offsets[at], offsets[at + len(wanted) - 1]
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


def in_one_form(text: str) -> tuple[str, list[int]]:
    """The text without blanks, in one case, width and script, and for each of its characters the place in the original."""
    characters, offsets = [], []
    for place, character in enumerate(folded(text)):
        for same in unicodedata.normalize("NFKC", character).casefold():
            if not same.isspace():
                characters.append(same)
                offsets.append(place)
    return "".join(characters), offsets
