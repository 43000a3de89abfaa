"""Why was it not found? Where an expected passage is in the index, its rank in each leg, what lost it, and what would keep it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel

from models.text import sendable
from retrievers.build import Retriever, searchable
from retrievers.expected import Place, places_of
from retrievers.filter import EVERY_DOCUMENT, Filter
from retrievers.layers import Searched
from retrievers.ledger import Drop
from retrievers.lexical import LEG as LEXICAL
from retrievers.lexical import searched_words
from retrievers.remedies import Changes, Remedies, Wanted, cut_by, rank_of
from retrievers.result import Retrieval
from retrievers.vector import LEG as VECTOR
from settings import Settings
from store.library import Base, Library
from store.stored import StoredChunk

Ranking = Sequence[tuple[str, float]]
"""(id, score) of every chunk, best first."""
RECALL = "recall"


@dataclass(frozen=True)
class Fate:
    """What became of a chunk that holds the expected text (or is near to it, when not `exact`).

    `place` is "contexts", the name of the stage that lost it, or "not_recalled"; `rank` its place among the contexts. `legs` are
    rank and score in each leg over the whole base, None where a leg cannot find it; the vector leg's `recall_rank` is that by the
    mean of the segments, which decides whether `depth` reaches it. `tokens` are the chunk's words as the full
    text index has them, `shared_words` those that the question has too. `remedies` are changes of settings, the least one first,
    each tried: with them it is among the contexts.
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

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        chunk = {name: value for name, value in self.chunk._asdict().items() if name != "embed_text"}
        lists = {"shared_words": list(self.shared_words), "tokens": list(self.tokens), "remedies": list(self.remedies)}
        return {**vars(self), **lists, "chunk": chunk}


@dataclass(frozen=True)
class Explanation:
    """The fates of the chunks that hold an expected text; none means that it is in no document."""

    query: str
    expected: str
    query_tokens: tuple[str, ...]
    fates: tuple[Fate, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        fates = [fate.as_json() for fate in self.fates]
        return vars(self) | {"query_tokens": list(self.query_tokens), "fates": fates, "in_index": bool(fates)}


@dataclass(frozen=True)
class _Asked:
    """A question with what was found out for it so far: the retrieval under changed settings, all chunks as the legs rank them by
    the id of a base.
    """

    question: str
    retrieved: Callable[[Changes], Retrieval]
    rankings: Callable[[str], dict[str, Ranking]]


class Explainer:
    """Explains for one question with given settings what became of passages."""

    def __init__(
        self,
        retriever: Retriever,
        library: Library,
        bases: Sequence[Base],
        settings: Settings,
        *,
        model: BaseChatModel | None = None,
        limits: Filter = EVERY_DOCUMENT,
    ) -> None:
        self._retriever, self._library, self._bases = retriever, library, list(bases)
        self._settings, self._model, self._limits = settings, model, limits

    def explain(self, question: str, expected: str) -> Explanation:
        """What became of the expected text, or of the chunk with that id. Raises StoreError and ModelError."""
        parts = self._retriever.opened(self._bases)
        searched = {base.id: part for base, part in parts}
        tokens = tuple(parts[0][1].store.sought(self._words(searchable(question), parts[0][1])))
        places = places_of(sendable(expected), self._library, parts)

        @cache
        def retrieved(changes: frozenset[tuple[str, Any]]) -> Retrieval:  # the same remedies are tried for each fate
            return self._retrieve(question, self._settings.override(dict(changes)))

        @cache
        def rankings(base_id: str) -> dict[str, Ranking]:
            return self._rankings(searchable(question), searched[base_id])

        asked = _Asked(searchable(question), lambda changes: retrieved(frozenset(changes.items())), rankings)
        fates = [fate for place in places for fate in self._fates(asked, place, searched[place.base.id])]
        return Explanation(question, expected, tokens, tuple(fates))

    def _fates(self, asked: _Asked, place: Place, searched: Searched) -> Iterator[Fate]:
        words = searched.store.sought(self._words(asked.question, searched))
        retrieval, rankings = asked.retrieved({}), asked.rankings(place.base.id)
        for chunk in searched.store.chunks_at(place.doc_id, place.start, place.end):
            wanted = _part_of(chunk, place)
            carrier = retrieval.ledger.carrier_of(chunk.id)
            rank, drop, cut = rank_of(wanted, retrieval), _last_drop(retrieval, carrier), cut_by(wanted, retrieval)
            legs = {leg: _place_in(rankings, leg, chunk.id) for leg in (LEXICAL, VECTOR)}
            tokens = tuple(searched.store.tokens(chunk.embed_text))
            remedies = Remedies(asked.retrieved, self._settings)
            yield Fate(
                base=place.base.name,
                chunk=chunk,
                exact=place.exact,
                place="contexts" if rank else cut or (drop.stage if drop else "not_recalled"),
                reason=None if rank else "cut_away" if cut else self._reason(chunk, drop, legs, place.base, retrieval),
                rank=rank,
                legs=legs,
                shared_words=tuple(dict.fromkeys(token for token in words if token in set(tokens))),
                tokens=tokens,
                remedies=() if rank else tuple(remedies.of(wanted, drop, legs)),
            )

    def _rankings(self, question: str, searched: Searched) -> dict[str, Ranking]:
        """All chunks of a base as each leg ranks them; under `RECALL` by the mean of their segments, where that recalls."""
        where, vector, store = searched.store.census.condition(), searched.vectors.of(question), searched.store
        rankings: dict[str, Ranking] = {
            LEXICAL: store.ranked_ids(self._words(question, searched), where=where),
            VECTOR: store.ranked_ids(vector, where=where, column="segment_vectors"),
        }
        recalls = self._settings.retrieval.vector.search == "mean"
        return rankings | ({RECALL: store.ranked_ids(vector, where=where)} if recalls else {})

    def _reason(self, chunk: StoredChunk, drop: Drop | None, legs: Mapping[str, Any], base: Base, retrieval: Retrieval) -> str:
        return drop.reason if drop else self._why_not_recalled(chunk, legs, base, retrieval)

    def _why_not_recalled(self, chunk: StoredChunk, legs: Mapping[str, Any], base: Base, retrieval: Retrieval) -> str:
        if not chunk.enabled:
            return "switched_off"
        within = self._limits_of(retrieval).conditions(self._library, base).expression()
        if not self._retriever.searched_in(base).store.candidates([chunk.id], where=within):
            return "filtered_out"
        weight = self._settings.retrieval.vector_weight
        counting = {LEXICAL: weight < 1, VECTOR: weight > 0}
        return "below_depth" if any(rank and counting[leg] for leg, rank in legs.items()) else "nothing_in_common"

    def _limits_of(self, retrieval: Retrieval) -> Filter:
        """The limits that held: those given, and those that the question named (retrievers/self_query.py)."""
        notes = {note.code: note.params for note in retrieval.ledger.notes}
        if "self_query" not in notes or "self_query_dropped" in notes:
            return self._limits
        named = Filter.from_json(notes["self_query"]["filter"])
        return replace(self._limits, **{name: value for name, value in vars(named).items() if value})

    def _retrieve(self, question: str, settings: Settings) -> Retrieval:
        return self._retriever.retrieve(question, self._bases, settings, model=self._model, limits=self._limits)

    def _words(self, question: str, searched: Searched) -> str:
        return searched_words(question, searched.store.tokens) if self._settings.retrieval.lexical.strip_stop_words else question


def _part_of(chunk: StoredChunk, place: Place) -> Wanted:
    """What of the chunk is wanted: of a text that was found word for word its part, else any of it."""
    start, end = max(chunk.start, place.start), min(chunk.end, place.end)
    return Wanted(chunk, start, end) if place.exact and not place.is_chunk else Wanted.all_of(chunk)


def _last_drop(retrieval: Retrieval, chunk_id: str) -> Drop | None:
    return next((drop for drop in reversed(retrieval.ledger.drops) if drop.chunk_id == chunk_id), None)


def _place_in(rankings: Mapping[str, Ranking], leg: str, chunk_id: str) -> dict[str, Any] | None:
    place = _rank_in(rankings[leg], chunk_id)
    if place and leg == VECTOR and RECALL in rankings:
        recalled = _rank_in(rankings[RECALL], chunk_id)
        place["recall_rank"] = recalled["rank"] if recalled else None
    return place


def _rank_in(ranked: Ranking, chunk_id: str) -> dict[str, Any] | None:
    found = next(((rank, score) for rank, (key, score) in enumerate(ranked, start=1) if key == chunk_id), None)
    return {"rank": found[0], "score": round(found[1], 4), "of": len(ranked)} if found else None
