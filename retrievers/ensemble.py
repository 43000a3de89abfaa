"""The ensemble: LangChain's EnsembleRetriever, which keeps rank and score of each leg, with three ways to fuse.

Overridden is what loses information there: identity by text (two files with the same paragraph would become one), legs
without weight that still bring documents, one failing leg that fails all, and scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_classic.retrievers.ensemble import EnsembleRetriever
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import run_in_executor
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.coverage import QuestionTerms
from retrievers.fusion import fuse
from retrievers.legs import ask_legs
from retrievers.lexical import LEG as LEXICAL
from retrievers.lexical import LexicalRetriever
from retrievers.pairs import LEG as PAIRS
from retrievers.pairs import PAIRS_WEIGHT, rank_by_pairs
from retrievers.vector import LEG as VECTOR
from retrievers.vector import VectorRetriever
from settings import Fusion
from store.terms import TermStatistics

COVERAGE_NONE, COVERAGE_FULL, COVERAGE_POWER = 0.05, 0.8, 1 / 3
"""The lexical leg's weight is 0 when its best hits hold less of the question than the first, and full from the second on.
Between, it rises steeply: with half of the question's terms it is 0.84, and with a tenth 0.41, since long questions have many
terms that no passage needs."""
COVERAGE_HITS = 5
FEW_HITS = 5
"""Fewer passages hold a name or a number. They stand out from all that do not; of more, a leg's own scores tell enough (for all
questions it would cost 0.0004 of nDCG@10 on xquad_en)."""


class ScoredEnsembleRetriever(EnsembleRetriever):
    """Fuses legs by rank or by score on the chunk id; `names` are those of the legs, in the order of `retrievers`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    names: list[str]
    fusion: Fusion = Fusion.STANDARD
    k: int | None = Field(default=None, ge=1)
    statistics: TermStatistics | None = None
    coverage: bool = True
    pairs: bool = True
    """Whether pairs of Chinese characters count beside words; both need `statistics`, and scores that are summed."""

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """The fused documents, the first `k` (keyword) of them."""
        k = kwargs.pop("k", None) or self.k
        return super().invoke(input, config, **kwargs)[:k]

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """As invoke."""
        k = kwargs.pop("k", None) or self.k
        return (await super().ainvoke(input, config, **kwargs))[:k]

    def rank_fusion(
        self, query: str, run_manager: CallbackManagerForRetrieverRun, *, config: RunnableConfig | None = None
    ) -> list[Document]:
        """Ask each leg, let the vector leg score what only others found, and fuse; a leg whose model fails makes a note."""
        lists = ask_legs(self.retrievers, self.names, query, run_manager)
        with ledger.current().stage("fused", taken_in=sum(map(len, lists))) as stage:
            pool = _same_objects(lists)
            weights = dict(zip(self.names, self._weights_for(query, lists), strict=True))
            legs = dict(zip(self.names, self._completed(query, lists, pool), strict=True))
            if pairs := self._pairs(query, legs, weights):
                legs[PAIRS], weights[PAIRS] = pairs, PAIRS_WEIGHT * weights[LEXICAL]
            fused = self._fuse(legs, weights)
            ledger.current().weights = weights
            stage.merged = stage.taken_in - len(pool)
            kept = {_key(document) for document in fused}
            lost = [document for key, document in pool.items() if key not in kept]
            ledger.current().drop(stage, [d for d in lost if d.metadata["scores"]], "leg_without_weight")
            ledger.current().drop(stage, [d for d in lost if not d.metadata["scores"]], "below_depth")
        return fused

    async def arank_fusion(
        self, query: str, run_manager: AsyncCallbackManagerForRetrieverRun, *, config: RunnableConfig | None = None
    ) -> list[Document]:
        """As rank_fusion, in a thread: LanceDB's and the local model's calls block."""
        return await run_in_executor(config, self.rank_fusion, query, run_manager.get_sync(), config=config)

    def weighted_reciprocal_rank(self, doc_lists: list[list[Document]]) -> list[Document]:
        """Fuse lists with this ensemble's weights and method; equal input gives EnsembleRetriever's order under `rrf`."""
        _same_objects(doc_lists)
        return self._fuse(dict(zip(self.names, doc_lists, strict=True)), dict(zip(self.names, self.weights, strict=True)))

    def _weights_for(self, query: str, lists: Sequence[Sequence[Document]]) -> list[float]:
        """The weights for this question: the lexical leg counts less when even its best hits hold little of the question."""
        if self.statistics is None or not self.coverage or self.fusion is Fusion.RRF or LEXICAL not in self.names:
            return list(self.weights)
        asked = QuestionTerms(query, self.statistics)
        share = asked.best_share(d.page_content for d in lists[self.names.index(LEXICAL)][:COVERAGE_HITS])
        scale = min(1.0, max(0.0, (share - COVERAGE_NONE) / (COVERAGE_FULL - COVERAGE_NONE))) ** COVERAGE_POWER
        others = any(w > 0 for w, name in zip(self.weights, self.names, strict=True) if name != LEXICAL)
        return [w * scale if name == LEXICAL and others else w for w, name in zip(self.weights, self.names, strict=True)]

    def _pairs(self, query: str, legs: Mapping[str, list[Document]], weights: Mapping[str, float]) -> list[Document]:
        """The candidates of legs with weight by the pairs of Chinese characters that they share with the query."""
        if self.statistics is None or not self.pairs or self.fusion is Fusion.RRF or not weights.get(LEXICAL):
            return []
        counted = {_key(document): document for name, leg in legs.items() if weights[name] > 0 for document in leg}
        return rank_by_pairs(query, self.statistics, counted.values())

    def _completed(self, query: str, lists: Sequence[list[Document]], pool: dict[str, Document]) -> list[list[Document]]:
        """The vector leg's list ranked over all candidates, to its own depth: what only words found needs its MaxSim as well."""
        completed = list(lists)
        for number, leg in enumerate(self.retrievers):
            if isinstance(leg, VectorRetriever) and lists[number]:
                ranked = leg.rank(query, list(pool.values()))
                completed[number] = ranked[: leg.k]
                for document in ranked[leg.k :]:
                    document.metadata["scores"].pop(VECTOR)
        return completed

    def _fuse(self, legs: Mapping[str, Sequence[Document]], weights: Mapping[str, float]) -> list[Document]:
        by_id = {_key(document): document for documents in legs.values() for document in documents}
        scored = [{_key(d): ledger.score_of(d, name) or 0.0 for d in documents} for name, documents in legs.items()]
        zeros = [self._without(name, len(leg), len(by_id)) for name, leg in legs.items()]
        scores = fuse(scored, [weights[name] for name in legs], method=self.fusion, c=self.c, without=zeros)
        fused = [by_id[key] for key in scores]
        ledger.mark(fused, "fused", list(scores.values()))
        return fused

    def _without(self, name: str, found: int, pool: int) -> int:
        """How many candidates a leg that counts words is known to give 0, where it found next to none."""
        words = next((leg for leg in self.retrievers if isinstance(leg, LexicalRetriever)), None)
        if words is None or name not in (LEXICAL, PAIRS) or found >= min(FEW_HITS, words.k):
            return 0
        return max(0, min(words.k, pool) - found)


def _same_objects(lists: Sequence[list[Document]]) -> dict[str, Document]:
    """Make one object of what several legs found, with the scores of all of them; returns the pool by id."""
    pool: dict[str, Document] = {}
    for documents in lists:
        for place, document in enumerate(documents):
            known = pool.setdefault(_key(document), document)
            if known is not document:
                known.metadata["scores"] = document.metadata.get("scores", {}) | known.metadata.get("scores", {})
                documents[place] = known
    return pool


def _key(document: Document) -> str:
    """What makes two documents the same: the id, or the text of those without one, as in EnsembleRetriever."""
    return document.id or document.page_content
