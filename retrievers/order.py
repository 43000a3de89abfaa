"""The order for a long context: a model reads its beginning and its end with most care."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from retrievers import ledger

RANK = "relevance_rank"
"""In a document's metadata: its rank, from 1, by how well it fits, once the reading order is another."""


class LongContextOrder(BaseDocumentCompressor):
    """Puts the best passages first and last, the weakest in the middle (Liu et al., 2023, "Lost in the Middle"): 1 3 5 4 2.

    LangChain's LongContextReorder does the same for an odd number; for an even one it puts the best last (2 4 3 1), and which
    passage is cited as [1] would change its meaning with their number. It also belongs to a package that is being sunset.
    """

    model_config = ConfigDict(frozen=True)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents in reading order, each with its rank in metadata["relevance_rank"]."""
        with ledger.current().stage("long_context_order", taken_in=len(documents)):
            for rank, document in enumerate(documents, start=1):
                document.metadata[RANK] = rank
            return [*documents[::2], *reversed(documents[1::2])]
