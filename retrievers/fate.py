"""What became of a passage that a person expected, as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from retrievers.ledger import Note
from retrievers.remedies import Changes
from store.stored import StoredChunk

NOT_RECALLED = "not_recalled"
BEYOND_SETTINGS = ("switched_off", "corrected")
"""Reasons that no setting of retrieval changes."""


@dataclass(frozen=True)
class Fate:
    """What became of a chunk that holds the expected text (or is near to it, when not `exact`).

    `place` is "contexts", the name of the stage that lost it, or "not_recalled"; `rank` its place among the contexts. `legs` are
    rank and score in each leg over the whole base, None where a leg cannot find it; a leg that failed is not there. The vector
    leg's `recall_rank` is that by the mean of the segments, which decides whether `depth` reaches it. `tokens` are the chunk's
    words as the full text index has them, `shared_words` those that the question has too. `remedies` are changes of settings,
    the least one first, each tried: with them it is among the contexts.
    """

    base: str
    chunk: StoredChunk
    exact: bool
    place: str
    reason: str | None
    rank: int | None
    legs: Mapping[str, dict[str, Any] | None]
    shared_words: tuple[str, ...]
    tokens: tuple[str, ...]
    remedies: tuple[Changes, ...] = ()
    at: int = 0
    """Where in the chunk's text the expected text begins, or its part in this chunk; 0 where that is not known."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        chunk = {name: value for name, value in self.chunk._asdict().items() if name != "embed_text"}
        lists = {"shared_words": list(self.shared_words), "tokens": list(self.tokens), "remedies": list(self.remedies)}
        return {**vars(self), **lists, "chunk": chunk}


@dataclass(frozen=True)
class Explanation:
    """The fates of the chunks that hold an expected text; none means that it is in no document that could be looked through.

    `notes` say what limits that: a base that could not be opened, a leg that failed, more places than are told of, a search for
    remedies that took too long.
    """

    query: str
    expected: str
    query_tokens: tuple[str, ...]
    fates: tuple[Fate, ...] = field(default=())
    notes: tuple[Note, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        fates, notes = [fate.as_json() for fate in self.fates], [vars(note) for note in self.notes]
        tokens = list(self.query_tokens)
        return vars(self) | {"query_tokens": tokens, "fates": fates, "notes": notes, "in_index": bool(fates)}
