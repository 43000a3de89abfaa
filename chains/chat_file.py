"""A conversation as a file: JSON with all branches, answers, citations, scores, settings and ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from store.chats import REPLY_TO, Conversation, Message
from store.ratings import Rating

FORMAT = "glassbox.conversation"
VERSION = 1
_ONLY_HERE = frozenset({REPLY_TO, "jobs"})
"""Names in a payload that mean something in this store only."""


def exported(
    conversation: Conversation, messages: Iterable[Message], *, shown: Sequence[int], moment: datetime
) -> dict[str, Any]:
    """The conversation as JSON values; times are ISO 8601 in UTC.

    Each question names the one that it comes `after`, null for the first of a branch, and has every answer that was given to it,
    the last of which counts. `answer` is what `python -m chains` prints, with the settings (`tuning`, `answering`), the bases and
    the limits that it was made with. `shown` are the questions of the branch that was looked at.
    """
    answers: dict[int, list[Message]] = defaultdict(list)
    questions = []
    for message in messages:
        if message.role == "user":
            questions.append(message)
        else:
            answers[(message.payload or {}).get(REPLY_TO, 0)].append(message)
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": _time(moment),
        "title": conversation.title,
        "base": conversation.base,
        "created_at": _time(conversation.created_at),
        "updated_at": _time(conversation.updated_at),
        "pinned": conversation.pinned,
        "shown": list(shown),
        "questions": [_question(question, answers[question.id]) for question in questions],
    }


def _question(question: Message, answers: Iterable[Message]) -> dict[str, Any]:
    return {
        "id": question.id,
        "after": question.after,
        "asked_at": _time(question.created_at),
        "text": question.text,
        "files": list((question.payload or {}).get("files") or ()),
        "answers": [_answer(answer) for answer in answers],
    }


def _answer(answer: Message) -> dict[str, Any]:
    return {
        "id": answer.id,
        "answered_at": _time(answer.created_at),
        "text": answer.text,
        "rating": _rating(answer.rating) if answer.rating else None,
        "answer": {name: value for name, value in (answer.payload or {}).items() if name not in _ONLY_HERE},
    }


def _rating(rating: Rating) -> dict[str, Any]:
    return {"thumb": rating.thumb, "comment": rating.comment, "rated_at": _time(rating.rated_at)}


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
