"""The token budget: an end to how much text goes on to a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from language import width
from retrievers import ledger
from retrievers.order import RANK

WIDTH_OF_A_TOKEN = 4
"""In language.width: 4 Latin characters or 1.6 Chinese ones. 300 English and 120 Chinese characters are both about 75 tokens."""


def estimated_tokens(text: str) -> int:
    """About how many tokens the text has: an estimate from its characters, as each model counts in its own way."""
    return math.ceil(width(text) / WIDTH_OF_A_TOKEN)


def _read(document: Document) -> str:
    """What of a passage goes on to a model: its extract, where there is one."""
    start = document.metadata.get("start", 0)
    parts = [document.page_content[a - start : b - start] for a, b in document.metadata.get("extract", ())]
    return "".join(parts) or document.page_content


class TokenBudget(BaseDocumentCompressor):
    """Keeps passages from the best down until the next one does not fit into `tokens` any more, by estimate.

    The best one always stays, and whole, since a passage is a slice of its document; a note says when it alone is too long.
    metadata["relevance_rank"] (retrievers/order.py) says which is better where the reading order is another.
    """

    model_config = ConfigDict(frozen=True)

    tokens: int = Field(default=4000, ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Those that fit, in the order they came in."""
        book = ledger.current()
        with book.stage("token_budget", taken_in=len(documents)) as stage:
            best_first = sorted(range(len(documents)), key=lambda place: documents[place].metadata.get(RANK, place + 1))
            used = list(accumulate(estimated_tokens(_read(documents[place])) for place in best_first))
            fitting = max(1, sum(tokens <= self.tokens for tokens in used))
            if used and used[0] > self.tokens:
                book.note("over_budget", tokens=used[0], budget=self.tokens)
            book.drop(stage, [documents[place] for place in best_first[fitting:]], "over_budget")
            kept = set(best_first[:fitting])
        return [document for place, document in enumerate(documents) if place in kept]
