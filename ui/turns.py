"""A conversation's messages as turns: a question and its answer, which may still be missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from store.chats import Message

REPLY_TO = "reply_to"


@dataclass(frozen=True)
class ChatTurn:
    """A question, and its latest answer once there is one."""

    question: Message
    answer: Message | None = None


def turns(messages: Iterable[Message]) -> list[ChatTurn]:
    """The questions in their order, each with the last answer that was given to it.

    An answer names its question, since two questions may be asked before the first is answered.
    """
    asked: dict[int, ChatTurn] = {}
    for message in messages:
        if message.role == "user":
            asked[message.id] = ChatTurn(message)
            continue
        question_id = (message.payload or {}).get(REPLY_TO)
        if question_id in asked:
            asked[question_id] = ChatTurn(asked[question_id].question, message)
    return list(asked.values())


def history(before: Sequence[ChatTurn]) -> list[tuple[str, str]]:
    """The answered turns as ("human" | "ai", text), oldest first; refusals and failures say nothing about the subject."""
    said: list[tuple[str, str]] = []
    for turn in before:
        payload: dict[str, Any] = (turn.answer.payload or {}) if turn.answer else {}
        if turn.answer and turn.answer.text and not payload.get("refused"):
            said += [("human", turn.question.text), ("ai", turn.answer.text)]
    return said
