"""A conversation that comes as a whole, out of a file: it is put beside the others, under ids of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from store.chat_rows import BranchRow, ConversationRow, MessageRow, RatingRow, StateRow
from store.chats import REPLY_TO, Chats, Conversation, title_of
from store.database import clean_text, now
from store.ratings import Rating


@dataclass(frozen=True)
class KeptAnswer:
    """An answer with its payload, which names no question yet."""

    text: str
    payload: dict[str, Any]
    created_at: datetime
    rating: Rating | None


@dataclass(frozen=True)
class KeptQuestion:
    """A question with its answers, oldest first; `id` and `after` hold within the conversation that it comes from."""

    id: int
    after: int | None
    text: str
    payload: dict[str, Any]
    created_at: datetime
    answers: Sequence[KeptAnswer]


@dataclass(frozen=True)
class KeptConversation:
    """A conversation; `branch` is a question of the branch to show. Each question stands behind the one that it follows."""

    title: str
    base: str
    created_at: datetime
    questions: Sequence[KeptQuestion]
    branch: int | None


def restore(chats: Chats, kept: KeptConversation) -> Conversation:
    """Keep the conversation, as the one last written to, and give it as it is kept."""
    new_id = uuid4().hex
    row = ConversationRow(
        id=new_id, title=title_of(kept.title), base=clean_text(kept.base), created_at=kept.created_at, updated_at=now()
    )
    ids: dict[int | None, int] = {}
    with Session(chats.engine) as session, session.begin():
        session.add(row)
        session.flush()
        for question in kept.questions:
            ids[question.id] = _question(session, new_id, question, after=ids.get(question.after))
        session.add(StateRow(conversation_id=new_id, pinned=False, branch=ids.get(kept.branch)))
    return next(each for each in chats.conversations() if each.id == new_id)


def _question(session: Session, conversation_id: str, question: KeptQuestion, *, after: int | None) -> int:
    """The new id of the question, which is kept with its answers."""
    asked = _kept(session, _message(conversation_id, "user", question, question.payload))
    session.add(BranchRow(question_id=asked, after=after))
    for answer in question.answers:
        payload = answer.payload | {REPLY_TO: asked}
        answered = _kept(session, _message(conversation_id, "assistant", answer, payload))
        if answer.rating:
            session.add(RatingRow(message_id=answered, **vars(answer.rating)))
    return asked


def _message(conversation_id: str, role: str, said: KeptQuestion | KeptAnswer, payload: dict[str, Any]) -> MessageRow:
    return MessageRow(conversation_id=conversation_id, role=role, text=said.text, payload=payload, created_at=said.created_at)


def _kept(session: Session, row: MessageRow) -> int:
    """The id that the row has from now on."""
    session.add(row)
    session.flush()
    return row.id
