"""Asking a chat model to choose among numbered things: what it is shown, between marks that the things cannot close."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from language import detect
from models.prompts import prompt
from models.structured import chosen

_BREAK = "\n---\n"
"""In a prompt's file: above stands what the model is told, below what it is asked."""


def choose(
    model: BaseChatModel, purpose: str, *, question: str, shown: str, count: int, callbacks: Callbacks | None = None
) -> list[int] | None:
    """The numbers, from 1 to `count`, that the model chooses of what is `shown`; None when its answer cannot be understood.

    `purpose` names the prompt's file; the prompt is in the question's language. Raises ModelError.
    """
    told, _, asked = prompt(purpose, detect(question)).partition(_BREAK)
    messages = [
        SystemMessage(told.replace("{shown}", shown)),
        HumanMessage(asked.strip().replace("{question}", marked(question))),
    ]
    return chosen(model.invoke(messages, config={"callbacks": callbacks}).text, count)


def numbered_blocks(texts: Sequence[str]) -> str:
    """Texts with numbers, each between marks of its own."""
    return "\n\n".join(f"[{n}]\n{marked(text)}" for n, text in enumerate(texts, start=1))


def numbered_lines(texts: Sequence[str]) -> str:
    """Texts with numbers, a line each, between marks around all of them."""
    return "<<<\n" + "\n".join(f"[{n}] {harmless(' '.join(text.split()))}" for n, text in enumerate(texts, start=1)) + "\n>>>"


def marked(text: str) -> str:
    """The text between marks."""
    return f"<<<\n{harmless(text)}\n>>>"


def harmless(text: str) -> str:
    """Text that cannot close the marks around it."""
    return text.replace("<<<", "‹‹‹").replace(">>>", "›››")
