"""Why was it not found? Where an expected passage is in the index, its rank in each leg, what lost it, and what would keep it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel

from models import ModelError
from models.text import sendable
from retrievers.build import Opened, Retriever, searchable
from retrievers.expected import MOST_PLACES, Place, in_one_form, places_of
from retrievers.fate import BEYOND_SETTINGS, NOT_RECALLED, Explanation, Fate
from retrievers.filter import EVERY_DOCUMENT, Filter
from retrievers.layers import Searched
from retrievers.ledger import Drop, current
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
PATIENCE = 60.0
"""Seconds for which remedies are looked for: each is a question of its own, and a layer may ask a slow model."""


@dataclass(frozen=True)
class _Asked:
    """A question with what was found out for it so far: the retrieval under changed settings, all chunks as the legs rank them by
    the id of a base.
    """

    question: str
    retrieved: Callable[[Changes], Retrieval]
    rankings: Callable[[str], dict[str, Ranking]]
    until: float
    """When, on the monotonic clock, no more remedies are tried."""


class Explainer:
    """Explains for one question with given settings what became of passages; `patience` is for how many seconds it may look for
    remedies.
    """

    def __init__(
        self,
        retriever: Retriever,
        library: Library,
        bases: Sequence[Base],
        settings: Settings,
        *,
        model: BaseChatModel | None = None,
        limits: Filter = EVERY_DOCUMENT,
        patience: float = PATIENCE,
    ) -> None:
        self._retriever, self._library, self._bases = retriever, library, list(bases)
        self._settings, self._model, self._limits = settings, model, limits
        self._patience = patience

    def explain(self, question: str, expected: str) -> Explanation:
        """What became of the expected text, or of the chunk with that id; a leg whose model fails is noted. Raises StoreError."""
        return self._retriever.on_one_index(self._bases, lambda parts: self._explained(question, expected, parts))

    def _explained(self, question: str, expected: str, parts: Opened) -> Explanation:
        searched = {base.id: part for base, part in parts}
        tokens = tuple(parts[0][1].store.sought(self._words(searchable(question), parts[0][1])))
        places = places_of(sendable(expected), self._library, parts)
        if len(places) > MOST_PLACES:
            current().note("more_places", count=MOST_PLACES)

        @cache
        def retrieved(changes: frozenset[tuple[str, Any]]) -> Retrieval:  # the same remedies are tried for each fate
            return self._retrieve(question, self._settings.override(dict(changes)))

        @cache
        def rankings(base_id: str) -> dict[str, Ranking]:
            return self._rankings(searchable(question), searched[base_id])

        until = time.monotonic() + self._patience
        asked = _Asked(searchable(question), lambda changes: retrieved(frozenset(changes.items())), rankings, until)
        found = [fate for place in places[:MOST_PLACES] for fate in self._fates(asked, place, searched[place.base.id])]
        return Explanation(question, expected, tokens, tuple(_one_each(found)), tuple(current().notes))

    def _fates(self, asked: _Asked, place: Place, searched: Searched) -> Iterator[Fate]:
        words = searched.store.sought(self._words(asked.question, searched))
        retrieval, rankings = asked.retrieved({}), asked.rankings(place.base.id)
        for chunk in searched.store.chunks_at(place.doc_id, place.start, place.end):
            if place.chunk_id not in ("", chunk.id):
                continue
            legs = {leg: _place_in(rankings, leg, chunk.id) for leg in (LEXICAL, VECTOR) if leg in rankings}
            tokens = tuple(searched.store.tokens(chunk.embed_text))
            fate = Fate(
                base=place.base.name,
                chunk=chunk,
                exact=place.exact,
                legs=legs,
                shared_words=tuple(dict.fromkeys(token for token in words if token in set(tokens))),
                tokens=tokens,
                at=_begins_at(chunk, place),
                **self._lost(chunk, place, retrieval, legs),
            )
            yield replace(fate, remedies=self._remedies(asked, fate, _part_of(chunk, place), retrieval))

    def _lost(self, chunk: StoredChunk, place: Place, retrieval: Retrieval, legs: Mapping[str, Any]) -> dict[str, Any]:
        """Where it is, or where it was lost and why."""
        if place.is_corrected and chunk.edited:
            return {"place": NOT_RECALLED, "reason": "corrected", "rank": None}
        wanted = _part_of(chunk, place)
        rank, drop, cut = rank_of(wanted, retrieval), _last_drop(retrieval, chunk.id), cut_by(wanted, retrieval)
        if rank:
            return {"place": "contexts", "reason": None, "rank": rank}
        if cut:
            return {"place": cut, "reason": "cut_away", "rank": None}
        if drop:
            return {"place": drop.stage, "reason": drop.reason, "rank": None}
        return {"place": NOT_RECALLED, "reason": self._why_not_recalled(chunk, legs, place.base, retrieval), "rank": None}

    def _remedies(self, asked: _Asked, fate: Fate, wanted: Wanted, retrieval: Retrieval) -> tuple[Changes, ...]:
        """What helps; nothing is tried for what no setting changes."""
        if fate.rank or fate.reason in BEYOND_SETTINGS or not self._fits(fate.chunk, fate.base, self._limits):
            return ()
        looking = Remedies(asked.retrieved, self._settings, until=asked.until)
        found = tuple(looking.of(wanted, _last_drop(retrieval, fate.chunk.id), fate.legs))
        if looking.was_ended:
            current().note("remedies_ended", seconds=round(self._patience))
        return found

    def _rankings(self, question: str, searched: Searched) -> dict[str, Ranking]:
        """All chunks of a base as each leg ranks them; under `RECALL` by the mean of their segments, where that recalls.

        The vector leg is left out, with a note, where the question cannot be embedded.
        """
        where, store = searched.store.census.condition(), searched.store
        rankings: dict[str, Ranking] = {LEXICAL: store.ranked_ids(self._words(question, searched), where=where)}
        try:
            vector = searched.vectors.of(question)
        except ModelError as error:
            current().note("leg_failed", leg=VECTOR, error=str(error))
            return rankings
        rankings[VECTOR] = store.ranked_ids(vector, where=where, column="segment_vectors")
        recalls = self._settings.retrieval.vector.search == "mean"
        return rankings | ({RECALL: store.ranked_ids(vector, where=where)} if recalls else {})

    def _why_not_recalled(self, chunk: StoredChunk, legs: Mapping[str, Any], base: Base, retrieval: Retrieval) -> str:
        if not chunk.enabled:
            return "switched_off"
        if not self._fits(chunk, base.name, self._limits_of(retrieval)):
            return "filtered_out"
        weight = self._settings.retrieval.vector_weight
        counting = {LEXICAL: weight < 1, VECTOR: weight > 0}
        if any(rank and counting[leg] for leg, rank in legs.items()):
            return "below_depth"
        if VECTOR not in legs:
            return "not_compared"
        return "leg_without_weight" if any(legs.values()) else "nothing_in_common"

    def _fits(self, chunk: StoredChunk, base_name: str, limits: Filter) -> bool:
        """Whether the chunk is within the limits."""
        base = self._library.base(base_name)
        within = limits.conditions(self._library, base).expression()
        return within is None or bool(self._retriever.searched_in(base).store.candidates([chunk.id], where=within))

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
    if not place.exact or place.chunk_id:
        return Wanted.all_of(chunk)
    return Wanted(chunk, start, end, place.words if place.words in in_one_form(chunk.text)[0] else "")


def _begins_at(chunk: StoredChunk, place: Place) -> int:
    """Where in the chunk's text the place begins, or about where, if it was corrected away; 0 where that is not known."""
    if not place.exact or place.chunk_id:
        return 0
    if not chunk.edited or place.is_corrected:
        return min(max(0, place.start - chunk.start), len(chunk.text))
    same, offsets = in_one_form(chunk.text)
    within = same.find(place.words)
    return offsets[within] if within >= 0 else 0


def _one_each(fates: Sequence[Fate]) -> Iterator[Fate]:
    """One fate a chunk, where the text stands in it more than once: that of a place that is shown, if there is one."""
    best: dict[str, Fate] = {}
    for fate in fates:
        known = best.get(fate.chunk.id)
        if known is None or (fate.rank and not known.rank):
            best[fate.chunk.id] = fate
    yield from best.values()


def _last_drop(retrieval: Retrieval, chunk_id: str) -> Drop | None:
    """Where the passage that the chunk went on in was dropped."""
    chunk_id = retrieval.ledger.carrier_of(chunk_id)
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
