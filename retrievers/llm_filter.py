"""The chat model says which passages help to answer; LangChain's LLMChainFilter asks of each by itself and drops on any doubt."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models import BaseChatModel
from pydantic import ConfigDict, Field

from models import ModelError
from models.choice import choose, numbered_blocks
from retrievers import ledger

STAGE = "llm_filter"


class LlmFilter(BaseDocumentCompressor):
    """Drops those of the first `depth` documents of which the model, asked once about all, says that they do not help.

    It never drops all of them: a model that keeps none, fails or cannot be understood drops nothing, and a note says so. Without
    a model everything passes, with a note as well.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    model: BaseChatModel | None = None
    depth: int = Field(default=10, ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """Those that help, and those behind `depth`, in their order."""
        book = ledger.current()
        with book.stage(STAGE, taken_in=len(documents)) as stage:
            read = documents[: self.depth]
            helpful = self._helpful(query, read, callbacks)
            unhelpful = [document for n, document in enumerate(read, start=1) if n not in helpful]
            book.drop(stage, unhelpful, "llm_says_no")
        gone = set(map(id, unhelpful))
        return [document for document in documents if id(document) not in gone]

    def _helpful(self, query: str, read: Sequence[Document], callbacks: Callbacks | None) -> set[int]:
        """The numbers of those that stay, from 1."""
        book, everything = ledger.current(), set(range(1, len(read) + 1))
        if not read:
            return everything
        if self.model is None:
            book.note("needs_llm", layer=STAGE)
            return everything
        shown = numbered_blocks([document.page_content for document in read])
        try:
            numbers = choose(self.model, STAGE, question=query, shown=shown, count=len(read), callbacks=callbacks)
        except ModelError as error:
            book.note("llm_filter_failed", error=str(error))
            return everything
        if numbers is None:
            book.note("llm_filter_unclear")
        elif not numbers:
            book.note("llm_filter_kept_all", count=len(read))
        return set(numbers or everything)
