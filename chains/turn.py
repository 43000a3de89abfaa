"""One turn of a conversation: retrieve, refuse when the evidence is weak, else answer, as a stream of events."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel

from chains.answer import Answer, Asked, Reason
from chains.extractive import quote_answer
from chains.followup import Standalone, StandaloneQuestions
from chains.generated import Generation, finished, packed, stream_answer
from chains.grounded import grounded
from chains.grounding import Grounder
from language import detect
from models import ModelError
from models.prompts import prompt
from models.stopping import current
from models.text import sendable
from retrievers import EVERY_DOCUMENT, Filter, Retrieval, Retriever
from retrievers.ledger import recording
from settings import Settings
from store.library import Base

Event = dict[str, Any]


class Turn:
    """Answers questions about bases with given settings and model (None: the answer quotes the documents), within `limits`."""

    def __init__(
        self,
        retriever: Retriever,
        bases: Base | Sequence[Base],
        settings: Settings,
        *,
        model: BaseChatModel | None = None,
        limits: Filter = EVERY_DOCUMENT,
    ) -> None:
        self._retriever, self._bases, self._settings, self._model = retriever, bases, settings, model
        self._limits = limits

    def ask(self, question: str, history: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
        """The answer as JSON values."""
        answer: dict[str, Any] = {}
        for event in self.stream(question, history):
            answer = event.get("answer", answer)
        return answer

    def stream(self, question: str, history: Sequence[tuple[str, str]] = ()) -> Generator[Event, None, None]:
        """{"event": "retrieved", "retrieval"}, then {"event": "token", "text"} as words come, last {"event": "answer", "answer"}.

        `history` holds ("human" | "ai", text), oldest first. Raises StoreError when the base cannot be searched; a failing chat
        model raises nothing: the answer quotes the documents, and its `error` says what failed and what was written until then.
        Where a stop is requested (models/stopping.py), what is written so far is the answer.
        """
        asked, retrieval = self._retrieved(sendable(question), history)
        yield {"event": "retrieved", "retrieval": retrieval.as_json()}
        reason = self._why_refuse(retrieval)
        if reason:
            answer = Answer(prompt("refusal", detect(retrieval.query)), "extractive", refused=True, reason=reason)
            yield {"event": "token", "text": answer.text}
        elif current().requested:
            answer = Answer("", "extractive" if self._model is None else "llm", stopped=True)
        elif self._model is None:
            answer = self._quoted(retrieval)
            yield {"event": "token", "text": answer.text}
        else:
            answer = yield from self._generated(self._model, retrieval, history)
        yield {"event": "answer", "answer": answer.as_json(retrieval, asked)}

    def _retrieved(self, question: str, history: Sequence[tuple[str, str]]) -> tuple[Asked, Retrieval]:
        """What is found for the question as it stands alone, with the notes of how it came to do so."""
        with recording() as book:
            alone = Standalone(question)
            if self._settings.conversation.standalone and history:
                words = self._retriever.words_of(self._bases)
                alone = StandaloneQuestions(words.tokens, words.alike, self._model).of(question, history)
        found = self._retriever.retrieve(alone.question, self._bases, self._settings, model=self._model, limits=self._limits)
        found.ledger.notes[:0] = book.notes
        return Asked(question, alone.how), found

    def _why_refuse(self, retrieval: Retrieval) -> Reason | None:
        evidence, threshold = retrieval.ledger.evidence, self._settings.retrieval.evidence_threshold
        if not retrieval.contexts:
            above = [drop for drop in retrieval.ledger.drops if drop.stage in ("threshold", "embeddings_filter")]
            return Reason("all_below_threshold", {"count": len(above)}) if above else Reason("nothing_found")
        if evidence < threshold:
            return Reason("weak_evidence", {"evidence": round(evidence, 6), "threshold": threshold})
        return None

    def _quoted(self, retrieval: Retrieval, error: Reason | None = None) -> Answer:
        chosen = self._settings.answer
        answer = quote_answer(retrieval, max_quotes=chosen.max_quotes, margin=chosen.quote_margin)
        return Answer(answer.text, "extractive", answer.citations, error=error)

    def _generated(
        self, model: BaseChatModel, retrieval: Retrieval, history: Sequence[tuple[str, str]]
    ) -> Generator[Event, None, Answer]:
        chosen = self._settings.answer
        generation = Generation(retrieval.query, packed(retrieval.contexts, chosen.max_context_chars), history)
        given = len(generation.contexts)
        try:
            for text in stream_answer(model, generation):
                yield {"event": "token", "text": text}
        except ModelError as error:
            return self._quoted(retrieval, Reason(error.code, {"message": str(error), "written": generation.shown.text}))
        if len(generation.contexts) < given:
            retrieval.ledger.note("fewer_passages", count=len(generation.contexts), given=given)
        answer = finished(generation)
        if answer is None:
            return self._quoted(retrieval, _wrote_nothing(generation))
        bases = [self._bases] if isinstance(self._bases, Base) else self._bases
        grounder = Grounder(self._retriever, bases, judge=model if chosen.grounding.judge else None)
        return grounded(answer, retrieval, generation.contexts, grounder, chosen.grounding)


def _wrote_nothing(generation: Generation) -> Reason:
    return generation.unfinished or Reason("wrote_nothing", {"message": "The language model wrote nothing."})
