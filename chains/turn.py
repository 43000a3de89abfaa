"""One turn of a conversation: retrieve, refuse when the evidence is weak, else answer, as a stream of events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Generator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel

from chains.answer import Answer, Asked, Reason
from chains.cache import AnswerCache, RememberedChat
from chains.extractive import quote_answer
from chains.followup import StandaloneQuestions
from chains.generated import Generation, finished, stream_answer
from chains.grounded import grounded
from chains.grounding import Grounder
from chains.packing import packed
from chains.routing import Route, Router, reply_to
from chains.routing.parts import FEW, NO_PARTS, Parts
from chains.threads import in_threads
from language import content_terms, detect, term_set
from models import ChatModels, ModelError, usage
from models.prompts import prompt, stepwise, used
from models.stopping import current
from models.text import sendable
from models.usage import metered
from retrievers import EVERY_DOCUMENT, Filter, Retrieval, Retriever
from retrievers.ledger import Ledger, recording
from settings import Settings
from store.library import Base

Event = dict[str, Any]


class Turn:
    """Answers questions about bases with given settings, within `limits`.

    `model` is one for all roles, or one for each; without one for answers, the answer quotes the documents. In `answers` what the
    model wrote is kept, as long as the settings ask for it.
    `own` names settings that a person chose; no route changes them, nor those that are not the default (chains/routing).
    """

    def __init__(
        self,
        retriever: Retriever,
        bases: Base | Sequence[Base],
        settings: Settings,
        *,
        model: BaseChatModel | ChatModels | None = None,
        limits: Filter = EVERY_DOCUMENT,
        own: Collection[str] = (),
        answers: AnswerCache | None = None,
    ) -> None:
        self._retriever, self._bases, self._settings = retriever, bases, settings
        self._models = model if isinstance(model, ChatModels) else ChatModels.same(model)
        self._model = self._models.answer
        self._limits, self._own, self._answers = limits, frozenset(own), answers

    def ask(
        self,
        question: str,
        history: Sequence[tuple[str, str]] = (),
        *,
        standalone: str | None = None,
        anew: bool = False,
    ) -> dict[str, Any]:
        """The answer as JSON values."""
        answer: dict[str, Any] = {}
        for event in self.stream(question, history, standalone=standalone, anew=anew):
            answer = event.get("answer", answer)
        return answer

    async def aask(self, question: str, history: Sequence[tuple[str, str]] = (), *, anew: bool = False) -> dict[str, Any]:
        """`ask` for asynchronous callers."""
        answer: dict[str, Any] = {}
        async with aclosing(self.astream(question, history, anew=anew)) as events:
            async for event in events:
                answer = event.get("answer", answer)
        return answer

    def astream(
        self, question: str, history: Sequence[tuple[str, str]] = (), *, anew: bool = False
    ) -> AsyncGenerator[Event, None]:
        """`stream` for asynchronous callers; the work is done in threads."""
        return in_threads(self.stream(question, history, anew=anew))

    @metered
    def stream(
        self,
        question: str,
        history: Sequence[tuple[str, str]] = (),
        *,
        standalone: str | None = None,
        anew: bool = False,
    ) -> Iterator[Event]:
        """{"event": "retrieved", "retrieval"}, then {"event": "token", "text"} as words come, last {"event": "answer", "answer"}.

        A token with `anew` stands instead of those before it, which were thoughts.
        `history` holds ("human" | "ai", text), oldest first; `standalone` is the question as a person wrote it out, if one did;
        `anew`: without an answer that was kept. Raises StoreError when the base cannot be searched; a failing chat model raises
        nothing: the answer quotes the documents, and its `error` says what failed and what was written until then. Where a stop
        is requested (models/stopping.py), what is written so far is the answer.
        """
        events = partial(self._events, sendable(question), history, sendable(standalone or ""), anew=anew)
        yield from stepwise(self._retriever.prompts.all(), events)

    def _events(
        self, question: str, history: Sequence[tuple[str, str]], standalone: str, *, anew: bool
    ) -> Generator[Event, None, None]:
        """The events of `stream`."""
        asked, retrieval, parts = self._retrieved(question, history, standalone)
        yield {"event": "retrieved", "retrieval": retrieval.as_json()}
        reason = self._why_refuse(retrieval)
        if asked.route.name == "none":
            answer = Answer(reply_to(question, asked.route.why), "extractive", refused=True, reason=Reason("small_talk"))
            yield {"event": "token", "text": answer.text}
        elif reason:
            answer = Answer(prompt("refusal", detect(retrieval.query)), "extractive", refused=True, reason=reason)
            yield {"event": "token", "text": answer.text}
        elif current().requested:
            answer = Answer("", "extractive" if self._model is None else "llm", stopped=True)
        elif self._model is None:
            answer = self._quoted(retrieval, parts=parts)
            yield {"event": "token", "text": answer.text}
        else:
            remembered = self._remembering(self._model, anew=anew)
            answer = yield from self._generated(remembered or self._model, retrieval, history)
            answer = remembered.settled(answer) if remembered else answer
        answer = replace(answer, usage=usage.current().as_json(self._settings.prices))
        yield {"event": "answer", "answer": answer.as_json(retrieval, asked) | {"prompts": used()}}

    def _remembering(self, model: BaseChatModel, *, anew: bool) -> RememberedChat | None:
        """The model with what it wrote before, if that is kept."""
        chosen = self._settings.answer.cache
        if self._answers is None or not chosen.enabled:
            return None
        return RememberedChat(inner=model, answers=self._answers, days=chosen.days, anew=anew)

    def _retrieved(self, question: str, history: Sequence[tuple[str, str]], standalone: str) -> tuple[Asked, Retrieval, Parts]:
        """What is found for the question as it stands alone, by its route, with the notes and stages of how it came to do so."""
        with recording() as book:
            router = Router(self._settings, own=self._own, model=self._models.rewrite, follow_ups=self._follow_ups)
            prepared = router.prepare(question, history, given=standalone)
        route, found, parts = prepared.route, Retrieval(question, (), Ledger()), NO_PARTS
        how = prepared.how
        if route.name != "none":
            found = self._found(prepared.question, route)
            if prepared.in_context and found.ledger.evidence < self._settings.retrieval.evidence_threshold:
                again = self._found(prepared.in_context, route)
                if self._is_answer_to(question, again):
                    again.ledger.note("asked_in_context", question=prepared.in_context)
                    found, how = again, "by_rules"
            parts = self._parts(found) if route.name == "complex" else parts
        found.ledger.notes[:0], found.ledger.stages[:0] = book.notes, book.stages
        return Asked(question, how, route), found, parts

    def _found(self, question: str, route: Route) -> Retrieval:
        return self._retriever.retrieve(
            question,
            self._bases,
            route.settings(self._settings),
            model=self._models.rewrite,
            limits=self._limits,
            queries=route.queries,
        )

    def _is_answer_to(self, question: str, found: Retrieval) -> bool:
        """Whether what was found has enough evidence, and not only for what was added to the question."""
        terms = content_terms(question).keys()
        held = any(terms & term_set(context.text) for context in found.contexts[:FEW])
        return found.ledger.evidence >= self._settings.retrieval.evidence_threshold and held

    def _follow_ups(self) -> StandaloneQuestions:
        words = self._retriever.words_of(self._bases)
        return StandaloneQuestions(words.tokens, words.alike, self._models.rewrite)

    def _parts(self, retrieval: Retrieval) -> Parts:
        """What the parts find alone, to be quoted, or where the whole has too little evidence: then the best part's counts."""
        threshold, book = self._settings.retrieval.evidence_threshold, retrieval.ledger
        if self._model is not None and book.evidence >= threshold:
            return NO_PARTS
        few = self._settings.override({"retrieval.top_k": FEW})
        parts = Parts.of(retrieval, lambda part: self._retriever.retrieve(part, self._bases, few, limits=self._limits))
        if book.evidence < threshold <= parts.evidence:
            book.note("part_has_evidence", parts=" · ".join(part.query for part in parts.answered(threshold)))
            book.evidence = parts.evidence
        return parts

    def _why_refuse(self, retrieval: Retrieval) -> Reason | None:
        evidence, threshold = retrieval.ledger.evidence, self._settings.retrieval.evidence_threshold
        if not retrieval.contexts:
            above = [drop for drop in retrieval.ledger.drops if drop.stage in ("threshold", "embeddings_filter")]
            if above:
                return Reason("all_below_threshold", {"count": len(above)})
            return Reason("no_documents" if self._retriever.is_empty(self._bases) else "nothing_found")
        if evidence < threshold:
            return Reason("weak_evidence", {"evidence": round(evidence, 6), "threshold": threshold})
        return None

    def _quoted(self, retrieval: Retrieval, error: Reason | None = None, parts: Parts = NO_PARTS) -> Answer:
        chosen, threshold = self._settings.answer, self._settings.retrieval.evidence_threshold
        answer = parts.quoted(retrieval, threshold) or quote_answer(
            retrieval, max_quotes=chosen.max_quotes, margin=chosen.quote_margin
        )
        return Answer(answer.text, "extractive", answer.citations, error=error)

    def _generated(
        self, model: BaseChatModel, retrieval: Retrieval, history: Sequence[tuple[str, str]]
    ) -> Generator[Event, None, Answer]:
        chosen = self._settings.answer
        generation = Generation(retrieval.query, packed(retrieval.contexts, chosen.max_context_chars), history)
        given = len(generation.contexts)
        try:
            for words in stream_answer(model, generation):
                yield {"event": "token", "text": words.text} | ({"anew": True} if words.anew else {})
        except ModelError as error:
            return self._quoted(retrieval, Reason(error.code, {"message": str(error), "written": generation.shown.text}))
        if len(generation.contexts) < given:
            retrieval.ledger.note("fewer_passages", count=len(generation.contexts), given=given)
        elif given < len(retrieval.contexts):
            retrieval.ledger.note("passages_left_out", count=given, given=len(retrieval.contexts))
        answer = finished(generation)
        if answer is None:
            return self._quoted(retrieval, _wrote_nothing(generation))
        if generation.citations_removed and not answer.refused:
            retrieval.ledger.note("citations_removed", count=generation.citations_removed)
        bases = [self._bases] if isinstance(self._bases, Base) else self._bases
        grounder = Grounder(self._retriever, bases, judge=self._models.judge if chosen.grounding.judge else None)
        return grounded(answer, retrieval, generation.contexts, grounder, chosen.grounding)


def _wrote_nothing(generation: Generation) -> Reason:
    return generation.unfinished or Reason("wrote_nothing", {"message": "The language model wrote nothing."})
