"""Conversations and preferences, kept across a restart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.branches import Branches, branches_in
from store.chat_rows import BranchRow, ConversationRow, MessageRow, RatingRow, StateRow
from store.database import CleanJson, CleanText, Row, clean_text, create_tables, now
from store.errors import StoreError
from store.ratings import Rating, Ratings, rating_of

Role = Literal["user", "assistant"]
TITLE_LENGTH = 80
REPLY_TO = "reply_to"
"""The name in an answer's payload of the id of its question."""


class UnknownConversation(StoreError):
    """The conversation does not exist, or no longer: another tab may have deleted it. Start a new one."""

    code = "unknown_conversation"


class PreferenceRow(Row):
    """The table of preferences: a name and a JSON value."""

    __tablename__ = "preferences"
    name: Mapped[str] = mapped_column(CleanText, primary_key=True)
    value: Mapped[Any] = mapped_column(CleanJson, nullable=True)


@dataclass(frozen=True)
class Conversation:
    """A conversation about one knowledge base; its title is its first question, "" before there is one.

    `branch` is a question of the branch that was last asked or looked at.
    """

    id: str
    title: str
    base: str
    created_at: datetime
    updated_at: datetime
    pinned: bool = False
    branch: int | None = None


@dataclass(frozen=True)
class Message:
    """What one side said. An assistant's payload is the whole answer with its retrieval, as JSON.

    A question has the id of the one that it comes `after` in its branch, None for the first; an answer may have a rating.
    """

    id: int
    role: Role
    text: str
    payload: dict[str, Any] | None
    created_at: datetime
    after: int | None = None
    rating: Rating | None = None


class Chats:
    """The conversations of a store, with the `ratings` of their answers. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        create_tables(engine, ConversationRow, MessageRow, BranchRow, StateRow)
        self.ratings = Ratings(engine)

    def create(self, base: str) -> Conversation:
        """A new, empty conversation about the knowledge base `base`."""
        moment = now()
        row = ConversationRow(id=uuid4().hex, title="", base=clean_text(base), created_at=moment, updated_at=moment)
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            session.add(row)
        return _conversation(row)

    def conversations(self) -> list[Conversation]:
        """All of them, the pinned ones first, and then the one last written to."""
        with_state = select(ConversationRow, StateRow).outerjoin(StateRow, StateRow.conversation_id == ConversationRow.id)
        pinned, newest = func.coalesce(StateRow.pinned, False).desc(), ConversationRow.updated_at.desc()
        with Session(self.engine) as session:
            rows = session.execute(with_state.order_by(pinned, newest, ConversationRow.created_at.desc()))
            return [_conversation(row, state) for row, state in rows]

    def rename(self, conversation_id: str, title: str) -> None:
        """Give it a title of at most 80 characters. Raises UnknownConversation."""
        with Session(self.engine) as session, session.begin():
            self._touch(session, conversation_id, title=title_of(title))

    def pin(self, conversation_id: str, pinned: bool) -> None:
        """Keep it above the others, or no longer. Raises UnknownConversation."""
        self._set(conversation_id, pinned=pinned)

    def choose_branch(self, conversation_id: str, question_id: int) -> None:
        """Have the branch of a question shown when the conversation is opened again. Raises UnknownConversation."""
        self._set(conversation_id, branch=question_id)

    def rename_base(self, name: str, new_name: str) -> None:
        """Let the conversations about a base follow it to its new name."""
        with Session(self.engine) as session, session.begin():
            session.execute(update(ConversationRow).where(ConversationRow.base == name).values(base=new_name))

    def delete(self, conversation_id: str) -> None:
        """Forget it with its messages; nothing happens when it is gone already."""
        with Session(self.engine) as session, session.begin():
            session.execute(delete(ConversationRow).where(ConversationRow.id == conversation_id))

    def add(
        self, conversation_id: str, role: Role, text: str, *, payload: dict[str, Any] | None = None, branch: int | None = None
    ) -> Message:
        """Keep a message; the first question becomes the title. Raises UnknownConversation.

        A question comes at the end of the branch that holds the question `branch`, or else of the one last written to.
        """
        row = MessageRow(conversation_id=conversation_id, role=role, text=clean_text(text), payload=payload, created_at=now())
        return self._keep(row, lambda branches: branches.end(branch))

    def edit(self, conversation_id: str, question_id: int, text: str, *, payload: dict[str, Any] | None = None) -> Message:
        """Ask something in the place of a question, which stays with all that came after it: a new branch beside its own.

        Raises UnknownConversation, also for a question that is not of the conversation.
        """

        def beside(branches: Branches) -> int | None:
            if question_id not in branches.after:
                raise UnknownConversation(f"There is no question {question_id} in the conversation. Ask it anew.")
            return branches.after[question_id]

        row = MessageRow(conversation_id=conversation_id, role="user", text=clean_text(text), payload=payload, created_at=now())
        return self._keep(row, beside)

    def messages(self, conversation_id: str) -> list[Message]:
        """Its messages of all branches, oldest first; none when it does not exist."""
        of_it = _WITH_MORE.where(MessageRow.conversation_id == conversation_id)
        with Session(self.engine) as session:
            rows: Sequence[tuple[MessageRow, BranchRow | None, RatingRow | None]] = session.execute(of_it).all()
        asked = [(row, told) for row, told, _ in rows if row.role == "user"]
        after = Branches.of((row.id, told is not None, told.after if told else None) for row, told in asked).after
        return [_message(row, after.get(row.id), rating_of(rating)) for row, _, rating in rows]

    def _keep(self, row: MessageRow, follows: Callable[[Branches], int | None]) -> Message:
        """Keep a message. Two tabs may ask at once: what a question follows is settled when no other can be added any more."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            self._touch(session, row.conversation_id, updated_at=row.created_at)
            asks = row.role == "user"
            after = follows(branches_in(session, row.conversation_id)) if asks else None
            session.add(row)
            session.flush()
            if asks:
                session.add(BranchRow(question_id=row.id, after=after))
                _put_state(session, row.conversation_id, branch=row.id)
                untitled = (ConversationRow.id == row.conversation_id) & (ConversationRow.title == "")
                session.execute(update(ConversationRow).where(untitled).values(title=title_of(row.text)))
            session.refresh(row)
        return _message(row, after)

    def _set(self, conversation_id: str, **values: Any) -> None:
        with Session(self.engine) as session, session.begin():
            self._touch(session, conversation_id, id=conversation_id)
            _put_state(session, conversation_id, **values)

    @staticmethod
    def _touch(session: Session, conversation_id: str, **values: Any) -> None:
        changed = update(ConversationRow).where(ConversationRow.id == conversation_id).values(**values)
        if not session.execute(changed.returning(ConversationRow.id)).all():
            raise UnknownConversation(f"There is no conversation {conversation_id!r}; it was deleted. Start a new one.")


class Preferences:
    """Named JSON values that outlive a restart: sliders, language, chosen base. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        create_tables(engine, PreferenceRow)

    def get(self, name: str) -> Any:
        """The value, or None when it was never set."""
        with Session(self._engine) as session:
            return session.scalar(select(PreferenceRow.value).where(PreferenceRow.name == name))

    def set(self, name: str, value: Any) -> None:
        """Keep a JSON value under the name, in place of an older one. Raises TypeError for what JSON cannot hold."""
        row = insert(PreferenceRow).values(name=name, value=value)
        with Session(self._engine) as session, session.begin():
            session.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": row.excluded.value}))

    def delete(self, name: str) -> None:
        """Forget the value; nothing happens when there is none."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(PreferenceRow).where(PreferenceRow.name == name))


_WITH_MORE = (
    select(MessageRow, BranchRow, RatingRow)
    .outerjoin(BranchRow, BranchRow.question_id == MessageRow.id)
    .outerjoin(RatingRow, RatingRow.message_id == MessageRow.id)
    .order_by(MessageRow.id)
)
"""The messages with what is told of each."""


def title_of(text: str) -> str:
    """A text as a title: on one line, in at most 80 characters."""
    words = " ".join(clean_text(text).split())
    return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1].rstrip() + "…"


def _put_state(session: Session, conversation_id: str, **values: Any) -> None:
    row = insert(StateRow).values({"conversation_id": conversation_id, "pinned": False, **values})
    session.execute(row.on_conflict_do_update(index_elements=["conversation_id"], set_=values))


def _conversation(row: ConversationRow, state: StateRow | None = None) -> Conversation:
    pinned, branch = (state.pinned, state.branch) if state else (False, None)
    return Conversation(row.id, row.title, row.base, row.created_at, row.updated_at, pinned=pinned, branch=branch)


def _message(row: MessageRow, after: int | None = None, rating: Rating | None = None) -> Message:
    role: Role = "user" if row.role == "user" else "assistant"
    return Message(row.id, role, row.text, row.payload, row.created_at, after=after, rating=rating)
