"""Recency: newer documents first, among those that fit about as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from retrievers import ledger
from retrievers.last_score import LATEST_FIRST, last_scores

DAY = timedelta(days=1)
_BEFORE = [stage for stage in LATEST_FIRST if stage != "recency"]


def _now() -> datetime:
    return datetime.now(UTC)


class Recency(BaseDocumentCompressor):
    """Takes up to `weight` from a passage's score as its document ages: half of that after the half-life, and sorts anew.

    score = last score (0 to 1, retrievers/last_score.py) - weight * (1 - 0.5 ** (age / half-life)), age from
    metadata["created_at"]. A passage without a date is taken to be of median age: as a new one it would be favoured for what
    is not known of it. Dates to come count as now, those without a time zone as UTC.
    """

    model_config = ConfigDict(frozen=True)

    half_life_days: float = Field(default=90.0, gt=0)
    weight: float = Field(default=0.3, ge=0, le=1)
    now: Callable[[], datetime] = _now

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents, newer ones moved up, equal scores in the order they came in; a note when none has a date."""
        book = ledger.current()
        with book.stage("recency", taken_in=len(documents)):
            ages = self._ages(documents)
            if documents and np.isnan(ages).all():
                book.note("recency_without_dates")
                return documents
            ages = np.where(np.isnan(ages), np.nanmedian(ages) if len(ages) else 0.0, ages)
            scores = last_scores(documents, _BEFORE) - self.weight * (1 - 0.5 ** (ages / self.half_life_days))
            order = np.argsort(-scores, kind="stable").tolist()
            ordered = [documents[place] for place in order]
            ledger.mark(ordered, "recency", [scores[place] for place in order])
        return ordered

    def _ages(self, documents: Sequence[Document]) -> npt.NDArray[np.float64]:
        """Ages in days, shape (documents,), 0 at least; nan without a date."""
        now = self.now()
        dates = [document.metadata.get("created_at") for document in documents]
        return np.array([max(0.0, (now - _aware(d)) / DAY) if isinstance(d, datetime) else np.nan for d in dates])


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
