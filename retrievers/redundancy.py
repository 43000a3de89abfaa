"""Redundancy: of passages that say the same, the best one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.passage_vectors import mean_vectors

_ROUNDING = 1e-5
"""Two vectors of the same text, computed in single precision, may have a cosine this far below 1."""


class Redundancy(BaseDocumentCompressor):
    """Drops a passage whose vector's cosine with a better one that is kept reaches the threshold.

    As LangChain's EmbeddingsRedundantFilter, but the better ranked of two stays, and no text is embedded again. A dropped passage
    has metadata["repeats"], the id of the passage that it is like; that one has metadata["repeated_by"], the ids of all such.
    """

    model_config = ConfigDict(frozen=True)

    threshold: float = Field(default=0.97, ge=0, le=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Those that are not like a better one, in order; those without segment vectors stay."""
        book = ledger.current()
        with book.stage("redundancy", taken_in=len(documents)) as stage:
            repeats = self._repeats(documents)
            for place, original in repeats.items():
                documents[place].metadata["repeats"] = str(documents[original].id)
            for original in set(repeats.values()):
                same = [str(documents[place].id) for place, other in repeats.items() if other == original]
                documents[original].metadata["repeated_by"] = same
            book.drop(stage, [documents[place] for place in repeats], "repeats_another")
        return [document for place, document in enumerate(documents) if place not in repeats]

    def _repeats(self, documents: Sequence[Document]) -> dict[int, int]:
        """The place of each passage that repeats another -> the place of the best one that it repeats."""
        vectors, known = mean_vectors(documents)
        alike = vectors @ vectors.T >= self.threshold - _ROUNDING
        kept = np.zeros(len(documents), dtype=bool)
        repeats: dict[int, int] = {}
        for place in np.flatnonzero(known).tolist():
            originals = np.flatnonzero(alike[place] & kept)
            if len(originals):
                repeats[place] = int(originals[0])
            else:
                kept[place] = True
        return repeats
