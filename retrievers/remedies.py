"""Which changes of settings would bring a passage among the contexts; each is tried before it is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from retrievers.ledger import Drop
from retrievers.lexical import LEG as LEXICAL
from retrievers.result import Retrieval
from retrievers.vector import LEG as VECTOR
from settings import Settings, SettingsError
from store.search import StoredChunk

Changes = Mapping[str, Any]
Ranks = Mapping[str, dict[str, Any] | None]

LARGEST_TOP_K, LARGEST_DEPTH = 50, 1000
MOST_REMEDIES = 3
_SWITCHES = ("self_query", "embeddings_filter", "redundancy", "llm_filter", "token_budget", "recency", "mmr", "rerank")


class Remedies:
    """Looks for remedies; `retrieve` asks the question again under changed settings."""

    def __init__(self, retrieve: Callable[[Changes], Retrieval], settings: Settings) -> None:
        self._retrieve, self._chosen = retrieve, settings.retrieval

    def of(self, chunk: StoredChunk, drop: Drop | None, legs: Ranks) -> Iterator[Changes]:
        """Up to three changes with which the chunk is among the contexts, the least one first."""
        found: list[Changes] = []
        for changes in self._ideas(chunk, drop, legs):
            less_will_do = any(smaller.items() <= changes.items() for smaller in found)
            if changes and not less_will_do and self._helps(changes, chunk):
                found.append(changes)
                yield changes
            if len(found) == MOST_REMEDIES:
                return

    def _helps(self, changes: Changes, chunk: StoredChunk) -> bool:
        try:
            return rank_of(chunk, self._retrieve(changes)) is not None
        except SettingsError:  # such as a reranker that is not configured
            return False

    def _ideas(self, chunk: StoredChunk, drop: Drop | None, legs: Ranks) -> Iterator[Changes]:
        stage = drop.stage if drop else ""
        if stage == "threshold":
            yield {"retrieval.score_threshold": 0.0}
        if stage in _SWITCHES:
            yield {f"retrieval.{stage}.enabled": False}
        depth = self._deeper(legs) if stage in ("", "fused") else {}
        more = self._more(chunk, depth)
        yield depth
        yield more
        yield {**depth, **more} if depth and more else {}
        yield from ({f"retrieval.{name}.enabled": False} for name in _SWITCHES if getattr(self._chosen, name).enabled)
        better = min((leg for leg in legs if legs[leg]), key=lambda leg: (legs[leg] or {})["rank"], default=VECTOR)
        yield from (
            {"retrieval.vector_weight": weight} for weight in ((0.3, 0.15, 0.0) if better == LEXICAL else (0.7, 0.85, 1.0))
        )
        yield {"retrieval.vector.search": "both"}
        yield {"retrieval.multi_query.enabled": True}
        yield {"retrieval.multi_query.enabled": True, **depth, **more}

    def _deeper(self, legs: Ranks) -> Changes:
        """The smallest depth at which a leg brings the chunk, in steps of five."""
        needed = [place.get("recall_rank") or place["rank"] for place in legs.values() if place]
        deeper = [rank for rank in needed if self._chosen.depth < rank <= LARGEST_DEPTH]
        return {"retrieval.depth": min(LARGEST_DEPTH, -(-min(deeper) // 5) * 5)} if deeper else {}

    def _more(self, chunk: StoredChunk, changes: Changes) -> Changes:
        """The smallest top_k with which the chunk is among the contexts, if there is one."""
        if self._chosen.top_k >= LARGEST_TOP_K:
            return {}
        rank = rank_of(chunk, self._retrieve({**changes, "retrieval.top_k": LARGEST_TOP_K}))
        return {"retrieval.top_k": rank} if rank and rank > self._chosen.top_k else {}


def rank_of(chunk: StoredChunk, retrieval: Retrieval) -> int | None:
    """The place, from 1, of the context that is the chunk or has grown over it; None when there is none."""
    for rank, context in enumerate(retrieval.contexts, start=1):
        grown = context.doc_id == chunk.doc_id and context.start <= chunk.start and chunk.end <= context.end
        if context.chunk_id == chunk.id or grown:
            return rank
    return None
