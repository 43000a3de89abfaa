"""The vector leg: chunks near the query by their mean vectors or by their segments, ranked by the best segment and the mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.hits import Hits
from retrievers.maxsim import nearness
from store.filters import EVERYTHING, Conditions
from store.schema import Candidate, Nearness

LEG = "vector"
MEAN_SHARE = 0.5
"""How much the mean of a chunk's segments counts beside the best one: the cosine of a single segment is noisy (on eight sets, the
leg gains 0.006 of nDCG@10, most on chat logs and across languages)."""
WRITTEN = "questions"
"""The mark of chunks that were found by a question or summary that was written for them."""


class VectorRetriever(BaseRetriever):
    """Chunks whose meaning is near the query's.

    Scores are two thirds the cosine of the best segment and one third that of all segments' mean, or minus the distance that
    belongs to it under `l2`.

    `search` says what finds candidates: the mean of a chunk's segments (large bases have an index for it), each segment, or both.
    `written` are kinds of texts that were written for chunks: such a text's cosine counts for its chunk when it is higher.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    hits: Hits
    k: int = Field(default=200, ge=1)
    search: Literal["mean", "segments", "both"] = "mean"
    metric: Literal["cosine", "l2"] = "cosine"
    written: tuple[str, ...] = ()
    conditions: Conditions = EVERYTHING

    def begin(self, query: str) -> None:
        """Begin the search that `invoke` with `begun` will wait for. Raises ModelError when the query cannot be embedded."""
        self._embed(query)
        if self.search != "segments":
            self.hits.begin_vector(query, depth=self.k, conditions=self.conditions)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        begun: bool = False,
        others: Sequence[Document] = (),
    ) -> list[Document]:
        """`others` are what `rank` will be asked about later: they are compared while a search that is `begun` runs."""
        if not begun:
            self._embed(query)
        with ledger.current().stage(LEG) as stage:
            nearness(self.hits.vectors.of(query), others)
            documents = self.rank(query, self._candidates(query, max(k or 0, self.k)))[: k or self.k]
            stage.added = len(documents)
        return documents

    def rank(self, query: str, documents: Sequence[Document]) -> list[Document]:
        """The documents that have segment vectors, best first, with this leg's rank and score."""
        vector = self.hits.vectors.of(query)
        near = zip(nearness(vector, documents), documents, strict=True)
        scored = [(self._score(document, found), document) for found, document in near if found is not None]
        order = np.argsort([-score for score, _ in scored], kind="stable")
        ranked = [scored[i][1] for i in order]
        ledger.mark(ranked, LEG, [scored[i][0] for i in order])
        return ranked

    def _embed(self, query: str) -> None:
        with ledger.current().stage("embed_query"):
            self.hits.vectors.of(query)

    def _candidates(self, query: str, depth: int) -> list[Candidate]:
        found: dict[str, Candidate] = {}
        if self.search != "segments":
            found |= {str(d.id): d for d, _ in self.hits.vector(query, depth=depth, conditions=self.conditions)}
        if self.search != "mean":
            near = self.hits.segments(query, depth=depth, conditions=self.conditions)
            found = {str(d.id): d for d, _ in near} | found
        if self.written:
            written = self.hits.written(query, depth=depth, kinds=self.written, conditions=self.conditions)
            for rank, (document, score) in enumerate(written, start=1):
                known = found.setdefault(str(document.id), document)
                known.metadata.setdefault("scores", {})[WRITTEN] = ledger.Mark(rank, score)
        return list(found.values())

    def _score(self, document: Document, near: Nearness) -> float:
        cosine = (near.best + MEAN_SHARE * near.mean) / (1 + MEAN_SHARE)
        if self.written:
            cosine = max(cosine, ledger.score_of(document, WRITTEN) or cosine)
        return cosine if self.metric == "cosine" else -math.sqrt(max(0.0, 2 - 2 * cosine))
