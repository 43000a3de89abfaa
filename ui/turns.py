"""A conversation's messages as turns: a question and its answer, which may still be missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from store.branches import Branches
from store.chats import REPLY_TO, Message


@dataclass(frozen=True)
class ChatTurn:
    """A question, and its latest answer once there is one.

    `versions` are the ids of the questions that were asked in its place, itself among them, oldest first.
    """

    question: Message
    answer: Message | None = None
    versions: tuple[int, ...] = ()


def turns(messages: Iterable[Message], through: int | None = None) -> list[ChatTurn]:
    """The questions of the branch that holds the question `through`, each with the last answer that was given to it.

    Without it, it is the branch that was last asked in. An answer names its question, since two questions may be asked before the
    first is answered.
    """
    questions: dict[int, Message] = {}
    answers: dict[int, Message] = {}
    for message in messages:
        if message.role == "user":
            questions[message.id] = message
        elif (question_id := (message.payload or {}).get(REPLY_TO)) in questions:
            answers[question_id] = message
    tree = Branches({number: question.after for number, question in questions.items()})
    return [ChatTurn(questions[each], answers.get(each), tree.versions(each)) for each in tree.path(through)]


def question_of(messages: Iterable[Message], message_id: int) -> int:
    """The id of the question that a message is, or answers."""
    found = next((each for each in messages if each.id == message_id), None)
    return int((found.payload or {}).get(REPLY_TO) or message_id) if found and found.role == "assistant" else message_id


def history(before: Sequence[ChatTurn]) -> list[tuple[str, str]]:
    """The answered turns as ("human" | "ai", text), oldest first; refusals and failures say nothing about the subject."""
    said: list[tuple[str, str]] = []
    for turn in before:
        payload: dict[str, Any] = (turn.answer.payload or {}) if turn.answer else {}
        if turn.answer and turn.answer.text and not payload.get("refused"):
            written_out = payload.get("standalone_by") == "by_person"  # by the person, who means this
            asked = str(payload["standalone_question"]) if written_out else turn.question.text
            said += [("human", asked), ("ai", turn.answer.text)]
    return said
