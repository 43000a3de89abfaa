"""The answer of a chat model: told to keep to the numbered contexts, streamed, its citations checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable

from chains.answer import Answer, Citation, Reason, cite
from language import detect
from models.prompts import prompt
from retrievers import Context, Retrieval

NO_ANSWER = "NO_ANSWER"
HISTORY = 6
"""Messages of the conversation that the model sees again."""
_CITATION = re.compile(r"[\[【](\d+(?:\s*[,，、]\s*\d+)*)[\]】]")


@dataclass
class Generation:
    """What a model has written so far."""

    text: str = ""
    usage: dict[str, int] = field(default_factory=dict)


def answer_chain(model: BaseChatModel) -> Runnable[dict[str, Any], Any]:
    """Passages, history and question to the model's message."""
    template = ChatPromptTemplate.from_messages(
        [("system", "{instructions}"), MessagesPlaceholder("history"), ("human", "{question}")]
    )
    return template | model


def stream_answer(
    model: BaseChatModel, retrieval: Retrieval, history: Sequence[tuple[str, str]], *, max_chars: int, generation: Generation
) -> Iterator[str]:
    """The model's words as they come; `generation` holds the whole. NO_ANSWER is kept back, so that it is never shown."""
    language = detect(retrieval.query)
    instructions = prompt("answer", language).replace("{passages}", _numbered(packed(retrieval.contexts, max_chars)))
    inputs = {"instructions": instructions, "history": list(history)[-HISTORY:], "question": retrieval.query}
    waiting = ""
    for chunk in answer_chain(model).stream(inputs):
        text = chunk.text if isinstance(chunk, AIMessageChunk) else ""
        generation.text += text
        if isinstance(chunk, AIMessageChunk) and chunk.usage_metadata:
            generation.usage = {k: v for k, v in chunk.usage_metadata.items() if isinstance(v, int)}
        waiting += text
        if waiting and not NO_ANSWER.startswith(waiting.strip()[: len(NO_ANSWER)]):
            yield waiting
            waiting = ""
    if waiting and waiting.strip() != NO_ANSWER:
        yield waiting


def finished(generation: Generation, retrieval: Retrieval) -> Answer:
    """The answer that the model has written, with citations that resolve; numbers that name no context are taken out."""
    text = generation.text.strip()
    if text.startswith(NO_ANSWER) or not text:
        refusal = prompt("refusal", detect(retrieval.query))
        return Answer(
            refusal,
            "llm",
            refused=True,
            reason=Reason("model_found_none" if text else "model_wrote_nothing"),
            usage=generation.usage,
        )
    cited: dict[int, Citation] = {}

    def resolved(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        known = [n for n in numbers if 1 <= n <= len(retrieval.contexts)]
        for n in known:
            cited.setdefault(n, _citation(retrieval.contexts[n - 1], n))
        return "".join(f"[{n}]" for n in known)

    text = _CITATION.sub(resolved, text)
    return Answer(text, "llm", tuple(cited.values()), usage=generation.usage)


def packed(contexts: Sequence[Context], max_chars: int) -> list[Context]:
    """The first contexts that fit in the budget; the first one always, so that there is something to answer from."""
    kept: list[Context] = []
    for context in contexts:
        if kept and sum(len(c.text) for c in kept) + len(context.text) > max_chars:
            break
        kept.append(context)
    return kept


def _numbered(contexts: Sequence[Context]) -> str:
    return "\n\n".join(
        f"[{n}] ({_place(context)})\n<<<\n{_harmless(context.text)}\n>>>" for n, context in enumerate(contexts, start=1)
    )


def _place(context: Context) -> str:
    return ", ".join([_harmless(context.source), *([f"p. {context.page}"] if context.page else [])])


def _harmless(text: str) -> str:
    """Text that cannot close the marks around a passage."""
    return text.replace("<<<", "‹‹‹").replace(">>>", "›››")


def _citation(context: Context, n: int) -> Citation:
    best = max(context.segments, key=lambda segment: segment.score, default=None)
    return cite(context, n=n, start=best.start if best else context.start, end=best.end if best else context.end)
