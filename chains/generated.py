"""The answer of a chat model: told to keep to the numbered contexts, streamed, its citations checked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable

from chains.answer import Answer, Reason
from chains.citations import resolve
from chains.packing import Numbered, half
from chains.shown import Shown
from language import detect
from models import ModelError
from models.choice import harmless, marked
from models.prompts import prompt
from models.stopping import current
from retrievers import Context

HISTORY = 6
"""Messages of the conversation that the model sees again."""
_UNFINISHED = {
    "length": ("cut_short", "The language model reached its limit of words (llm.max_tokens); the answer is not complete."),
    "content_filter": ("content_filter", "The language model's own filter cut the answer off."),
    None: ("broken_off", "The language model's answer ended without a sign that it was complete."),
}
"""What is told of an answer by its finish_reason, which is "stop" for a complete one."""


class Words(NamedTuple):
    """Words to be shown behind those before; `anew`: instead of them, as they turned out to be thoughts."""

    text: str
    anew: bool = False


@dataclass
class Generation:
    """What a model is given to answer from, and what it has written so far. `stopped`: a person has had enough of it.

    `citations_removed` is how many of its citations named no passage that it was given.
    """

    question: str
    contexts: Numbered
    history: Sequence[tuple[str, str]] = ()
    shown: Shown = field(default_factory=Shown)
    usage: dict[str, int] = field(default_factory=dict)
    finish_reason: str | None = None
    stopped: bool = False
    citations_removed: int = 0

    def take(self, message: AIMessageChunk) -> Words:
        """Note a piece of the model's message; what of it may be shown."""
        if message.usage_metadata:
            self.usage = {name: count for name, count in message.usage_metadata.items() if isinstance(count, int)}
        self.finish_reason = _finish_reason(message.response_metadata) or self.finish_reason
        return self._new(lambda: self.shown.feed(message.text))

    def rest(self) -> Words:
        """What may be shown once the message has ended."""
        return self._new(self.shown.end)

    def _new(self, show: Callable[[], str]) -> Words:
        before = self.shown.taken_back
        return Words(show(), anew=self.shown.taken_back > before)

    def shorten(self) -> bool:
        """Half the passages, the worst ones gone, and no messages from before; False when there is nothing left to take away."""
        if len(self.contexts) < 2 and not self.history:
            return False
        self.contexts, self.history = half(self.contexts), ()
        return True

    @property
    def unfinished(self) -> Reason | None:
        """Why the answer is not complete, if it is not."""
        if self.finish_reason not in _UNFINISHED:
            return None
        code, message = _UNFINISHED[self.finish_reason]
        return Reason(code, {"message": message})


def answer_chain(model: BaseChatModel) -> Runnable[dict[str, Any], Any]:
    """Passages, history and question to the model's message."""
    template = ChatPromptTemplate.from_messages(
        [("system", "{instructions}"), MessagesPlaceholder("history"), ("human", "{question}")]
    )
    return template | model


def stream_answer(model: BaseChatModel, generation: Generation) -> Iterator[Words]:
    """The model's words as they come, as far as they may be shown; `generation` holds the whole.

    A text that is longer than the model takes is sent again with half of the passages. Ends, and lets go of the endpoint, when
    a stop is requested (models/stopping.py). Raises ModelError.
    """
    try:
        yield from _stream(model, generation)
    except ModelError as error:
        if current().requested:
            generation.stopped = True
        elif error.code == "context_overflow" and not generation.shown.text and generation.shorten():
            yield from stream_answer(model, generation)
        else:
            raise


def _stream(model: BaseChatModel, generation: Generation) -> Generator[Words, None, None]:
    told = prompt("answer", detect(generation.question))
    inputs = {
        "instructions": told.replace("{passages}", _passages(generation.contexts)),
        "history": list(generation.history)[-HISTORY:],
        "question": generation.question,
    }
    with closing(answer_chain(model).stream(inputs)) as messages:  # type: ignore[type-var]  # a generator
        for message in messages:
            words = generation.take(message) if isinstance(message, AIMessageChunk) else Words("")
            if any(words):
                yield words
            if current().requested:
                generation.stopped = True
                return
    if any(rest := generation.rest()):
        yield rest


def finished(generation: Generation) -> Answer | None:
    """The answer that the model has written, with citations that resolve, or its refusal; None when it wrote nothing.

    NO_ANSWER is a refusal, unless the model said other things with citations before it: those stay. What was written until it
    was stopped is the answer, be it nothing.
    """
    text, citations, removed = resolve(generation.shown.text.strip(), generation.contexts)
    generation.citations_removed = removed
    if generation.stopped:
        return Answer(text, "llm", citations, usage=generation.usage, stopped=True)
    if generation.shown.said_no_answer and (generation.shown.refused or not citations):
        refusal = prompt("refusal", detect(generation.question))
        return Answer(refusal, "llm", refused=True, reason=Reason("model_found_none"), usage=generation.usage)
    if not text:
        return None
    return Answer(text, "llm", citations, error=generation.unfinished, usage=generation.usage)


def _finish_reason(metadata: Mapping[str, Any]) -> str | None:
    """Chat Completions name it, the Responses API has a status."""
    by_status = {"completed": "stop", "incomplete": "length"}
    return metadata.get("finish_reason") or by_status.get(metadata.get("status", ""))


def _passages(contexts: Numbered) -> str:
    return "\n\n".join(f"[{n}] ({_place(context)})\n{marked(context.read_text)}" for n, context in contexts.items())


def _place(context: Context) -> str:
    pages = [f"p. {context.page}"] if context.page else []
    sheets = [harmless(" ".join(context.sheet.split()))] if context.sheet else []
    rows = [f"rows {context.rows[0]} to {context.rows[1]}"] if context.rows else []
    return ", ".join([harmless(" ".join(context.source.split())), *pages, *sheets, *rows])
