"""Which changes of settings would bring a passage among the contexts; each is tried before it is named."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from retrievers.expected import in_one_form
from retrievers.ledger import Drop
from retrievers.lexical import LEG as LEXICAL
from retrievers.result import Context, Retrieval
from retrievers.vector import LEG as VECTOR
from settings import Settings, SettingsError
from store.stored import StoredChunk

Changes = Mapping[str, Any]
Ranks = Mapping[str, dict[str, Any] | None]

LARGEST_TOP_K, LARGEST_DEPTH, LARGEST_BUDGET = 50, 1000, 32_000
MOST_REMEDIES = 3
CUT_AWAY = ("window", "llm_extract")
"""Layers that show less of a passage than was found."""
_SWITCHES = (
    *("self_query", "embeddings_filter", "redundancy", "llm_filter", "token_budget", "recency", "mmr", "rerank"),
    *CUT_AWAY,
)
_WEIGHT_STEPS = tuple(number / 20 for number in range(21))


@dataclass(frozen=True)
class Wanted:
    """The part of a chunk that a person expects, by its place in the document; all of it where only the chunk is meant."""

    chunk: StoredChunk
    start: int
    end: int
    words: str = ""
    """The same in one form (retrievers/expected.py), where all of it is within the chunk."""

    @classmethod
    def all_of(cls, chunk: StoredChunk) -> Wanted:
        """The whole chunk, of which any part will do."""
        return cls(chunk, chunk.start, chunk.start)


class Remedies:
    """Looks for remedies `until` a time of the monotonic clock; `retrieve` asks the question again under changed settings."""

    def __init__(self, retrieve: Callable[[Changes], Retrieval], settings: Settings, *, until: float = math.inf) -> None:
        self._retrieve, self._chosen = retrieve, settings.retrieval
        self._until = until
        self.was_ended = False
        """Whether there was no time to try all."""

    def of(self, wanted: Wanted, drop: Drop | None, legs: Ranks) -> Iterator[Changes]:
        """Up to three changes with which it is among the contexts, the least one first; of each kind the least that helps."""
        found: list[Changes] = []
        for ideas in self._ideas(wanted, drop, legs):
            for changes in ideas:
                if time.monotonic() >= self._until:
                    self.was_ended = True
                    return
                less_will_do = any(smaller.items() <= changes.items() for smaller in found)
                if changes and not less_will_do and self._helps(changes, wanted):
                    found.append(self._least(changes, wanted))
                    yield found[-1]
                    break
            if len(found) == MOST_REMEDIES:
                return

    def _least(self, changes: Changes, wanted: Wanted) -> Changes:
        """The changes without layers that need not be off."""
        for name in [name for name in changes if name.endswith(".enabled")] if len(changes) > 2 else ():
            fewer = {other: value for other, value in changes.items() if other != name}
            changes = fewer if fewer and self._helps(fewer, wanted) else changes
        return changes

    def _helps(self, changes: Changes, wanted: Wanted) -> bool:
        try:
            return rank_of(wanted, self._retrieve(changes)) is not None
        except SettingsError:  # such as a reranker that is not configured
            return False

    def _ideas(self, wanted: Wanted, drop: Drop | None, legs: Ranks) -> Iterator[Iterable[Changes]]:
        """Kinds of changes, the likeliest first, each with its sizes, the least first."""
        stage = drop.stage if drop else ""
        if stage == "threshold":
            yield self._lower(wanted)
        if stage == "token_budget":
            yield ({"retrieval.token_budget.tokens": self._chosen.token_budget.tokens * n} for n in (2, 4, 8))
        if stage in _SWITCHES:
            yield [{f"retrieval.{stage}.enabled": False}]
        depth = self._deeper(legs) if stage in ("", "fused") else {}
        more = self._more(wanted, depth)
        yield [depth]
        yield [more]
        yield [{**depth, **more} if depth and more else {}]
        off = [{f"retrieval.{name}.enabled": False} for name in _SWITCHES if getattr(self._chosen, name).enabled]
        yield from ([changes] for changes in off)
        yield ({**changes, **depth, **self._more(wanted, {**changes, **depth})} for changes in (*off, self._all_of(off)))
        weights = self._weights(legs)
        yield ({"retrieval.vector_weight": weight} for weight in weights)
        yield [{"retrieval.vector.search": "both"}]
        yield [{"retrieval.multi_query.enabled": True}]
        yield (self._with_more(wanted, {"retrieval.vector_weight": weight}) for weight in weights[::4])
        yield (self._with_more(wanted, lower) for lower in self._lower(wanted))
        yield [{"retrieval.multi_query.enabled": True, **depth, **more}]

    @staticmethod
    def _all_of(changes: Iterable[Changes]) -> Changes:
        return {name: value for each in changes for name, value in each.items()}

    def _lower(self, wanted: Wanted) -> list[Changes]:
        """The highest least relevance, in hundredths, that the passage reaches."""
        if not self._chosen.score_threshold:
            return []
        free = self._retrieve({"retrieval.score_threshold": 0.0, "retrieval.top_k": LARGEST_TOP_K})
        rank = rank_of(wanted, free)
        reached = math.floor(free.contexts[rank - 1].relevance * 100) / 100 if rank else 0.0
        return [
            {"retrieval.score_threshold": value}
            for value in dict.fromkeys((reached, 0.0))
            if value < self._chosen.score_threshold
        ]

    def _weights(self, legs: Ranks) -> list[float]:
        """Weights nearer to the leg that ranks it best, the least change first."""
        now = self._chosen.vector_weight
        better = min((leg for leg in legs if legs[leg]), key=lambda leg: (legs[leg] or {})["rank"], default=VECTOR)
        towards = [w for w in _WEIGHT_STEPS if (w < now if better == LEXICAL else w > now)]
        return sorted(towards, key=lambda weight: abs(weight - now))

    def _deeper(self, legs: Ranks) -> Changes:
        """The smallest depth at which a leg brings the chunk, in steps of five."""
        needed = [place.get("recall_rank") or place["rank"] for place in legs.values() if place]
        deeper = [rank for rank in needed if self._chosen.depth < rank <= LARGEST_DEPTH]
        return {"retrieval.depth": min(LARGEST_DEPTH, -(-min(deeper) // 5) * 5)} if deeper else {}

    def _with_more(self, wanted: Wanted, changes: Changes) -> Changes:
        """The changes with the top_k that they need; nothing where that is not enough."""
        more = self._more(wanted, changes)
        return {**changes, **more} if more else {}

    def _more(self, wanted: Wanted, changes: Changes) -> Changes:
        """The smallest top_k with which it is among the contexts, if there is one."""
        if self._chosen.top_k >= LARGEST_TOP_K:
            return {}
        found = self._retrieve({**changes, "retrieval.top_k": LARGEST_TOP_K})
        place = rank_of(wanted, found)
        rank = (found.contexts[place - 1].rank or place) if place else None  # its rank, where the reading order is another
        return {"retrieval.top_k": rank} if rank and rank > self._chosen.top_k else {}


def rank_of(wanted: Wanted, retrieval: Retrieval) -> int | None:
    """The place, from 1, of the first context that shows what is wanted; None when there is none."""
    carrier = retrieval.ledger.carrier_of(wanted.chunk.id)
    return next((rank for rank, context in enumerate(retrieval.contexts, start=1) if _shows(context, wanted, carrier)), None)


def cut_by(wanted: Wanted, retrieval: Retrieval) -> str | None:
    """The layer that shows the chunk without what is wanted of it, if one does."""
    carrier = retrieval.ledger.carrier_of(wanted.chunk.id)
    shown = next((context for context in retrieval.contexts if context.chunk_id == carrier), None)
    if shown is None or _shows(shown, wanted, carrier):
        return None
    return "llm_extract" if shown.edited or (shown.start <= wanted.start and wanted.end <= shown.end) else "window"


def _shows(context: Context, wanted: Wanted, carrier: str) -> bool:
    """`carrier` is the id of the passage that the chunk went on in."""
    chunk = wanted.chunk
    if context.edited and wanted.words and context.chunk_id == chunk.id:  # its places are not those of the document
        return wanted.words in in_one_form(context.read_text)[0]
    if context.edited or wanted.start == wanted.end:
        grown = context.doc_id == chunk.doc_id and context.start <= chunk.start and chunk.end <= context.end
        return context.chunk_id in (chunk.id, carrier) or grown
    shown = context.extract or ((context.start, context.end),)
    return (
        context.doc_id == chunk.doc_id
        and any(start < wanted.end and wanted.start < end for start, end in shown)
        and all(any(start <= place < end for start, end in shown) for place in (wanted.start, wanted.end - 1))
    )
