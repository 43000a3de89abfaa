"""The chat model picks the sentences of each passage that matter; LangChain's LLMChainExtractor lets it write them anew instead.

Sentences are picked by number, so an extract is made of exact slices of the document and no word of it is the model's.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables.config import ContextThreadPoolExecutor
from pydantic import ConfigDict

from language import Span, sentences
from models import ModelError
from models.choice import choose, numbered_lines
from retrievers import ledger
from retrievers.evidence import spans_of

STAGE = "llm_extract"
AT_ONCE = 4
"""Passages that are asked about side by side; when one of them fails, no further is asked about."""
NEAR_BEST = 0.02
"""Without a model, the segments of a passage whose cosine is within this of its best are its extract."""


class LlmExtract(BaseDocumentCompressor):
    """Drops nothing and changes no text: metadata["extract"] gets the (start, end) of what matters, by place in the document.

    Each passage is asked about by itself, so what is picked in it does not depend on how many there are. Where the model picks
    nothing, metadata["nothing_extracted"] is True and the extract is the passage's winning segments, since the model may be
    wrong; so is it without a model, when the model fails and when its answer cannot be understood, each with a note.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    model: BaseChatModel | None = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The same documents, in the same order."""
        book = ledger.current()
        with book.stage(STAGE, taken_in=len(documents)):
            if self.model is None and documents:
                book.note("extract_without_llm")
            for document, picked in zip(documents, self._picked(query, documents, callbacks), strict=True):
                document.metadata["extract"] = picked or winning_spans(document)
                document.metadata["nothing_extracted"] = picked == []
        return documents

    def _picked(self, query: str, documents: Sequence[Document], callbacks: Callbacks | None) -> list[list[Span] | None]:
        """What is picked in each document; None where nothing is known."""
        book, picked = ledger.current(), list[list[Span] | None]()
        with ContextThreadPoolExecutor(AT_ONCE) as pool:
            while self.model and len(picked) < len(documents):
                group = documents[len(picked) : len(picked) + AT_ONCE]
                answers = list(pool.map(lambda document: self._ask(query, document, callbacks), group))
                failures = [answer for answer in answers if isinstance(answer, ModelError)]
                picked += [None if isinstance(answer, ModelError) else answer for answer in answers]
                if None in picked and not failures:
                    book.note("llm_extract_unclear")
                if failures:
                    book.note("llm_extract_failed", error=str(failures[0]))
                    break
        return picked + [None] * (len(documents) - len(picked))

    def _ask(self, query: str, document: Document, callbacks: Callbacks | None) -> list[Span] | ModelError | None:
        """What the model picks in a document; None when its answer is unclear. A single sentence is not asked about."""
        assert self.model
        text, start = document.page_content, document.metadata.get("start", 0)
        spans = sentences(text)
        if len(spans) < 2:
            return [Span(start + a, start + b) for a, b in spans]
        shown = numbered_lines([text[a:b] for a, b in spans])
        try:
            numbers = choose(self.model, STAGE, question=query, shown=shown, count=len(spans), callbacks=callbacks)
        except ModelError as error:
            return error
        return None if numbers is None else joined([n - 1 for n in numbers], spans, start)


def joined(picked: Sequence[int], spans: Sequence[Span], start: int) -> list[Span]:
    """The picked sentences in the order of the text, by their places in the document; neighbours become one span."""
    found: list[Span] = []
    for number in sorted(picked):
        place = Span(start + spans[number].start, start + spans[number].end)
        if found and number - 1 in picked:
            place = Span(found.pop().start, place.end)
        found.append(place)
    return found


def winning_spans(document: Document) -> list[Span]:
    """The segments with the best cosines within the passage, or all of it when it has none."""
    start = document.metadata.get("start", 0)
    whole = Span(start, start + len(document.page_content))
    scored = [
        (cosine, Span(*span))
        for cosine, span in zip(document.metadata.get("segment_cosines") or (), spans_of(document), strict=False)
        if whole.start <= span[0] < span[1] <= whole.end
    ]
    best = max((cosine for cosine, _ in scored), default=0.0)
    return [span for cosine, span in scored if cosine >= best - NEAR_BEST] or [whole]
