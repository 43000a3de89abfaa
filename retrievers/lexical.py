"""The lexical leg: BM25 over LanceDB's full-text index. A chunk that holds none of the words is never returned."""

from __future__ import annotations

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from language import without_stop_words
from retrievers import ledger
from store.chunks import ChunkStore
from store.filters import build_filter

LEG = "bm25"


class LexicalRetriever(BaseRetriever):
    """Chunks that share words with the query, best BM25 first; stop words of the query count only when it has nothing else."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    store: ChunkStore
    k: int = Field(default=200, ge=1)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        with ledger.current().stage(LEG) as stage:
            words = without_stop_words(query)
            found = self.store.search_text(words, depth=k or self.k, where=build_filter(None))
            documents: list[Document] = [document for document, _ in found]
            ledger.mark(documents, LEG, [score for _, score in found])
            stage.added = len(documents)
        if not documents:
            ledger.current().note("no_lexical_match", words=words)
        return documents
