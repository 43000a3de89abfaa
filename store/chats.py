"""Conversations and preferences, kept across a restart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import Engine, ForeignKey, delete, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.database import CleanJson, CleanText, Row, UtcTime, clean_text, create_tables, now

Role = Literal["user", "assistant"]
TITLE_LENGTH = 80


class UnknownConversation(LookupError):
    """The conversation does not exist, or no longer: another tab may have deleted it. Start a new one."""


class ConversationRow(Row):
    """The table of conversations; `title` is empty until the first question."""

    __tablename__ = "conversations"
    id: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(CleanText)
    base: Mapped[str] = mapped_column(CleanText)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, index=True)


class MessageRow(Row):
    """The table of messages, in the order of their ids."""

    __tablename__ = "messages"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    conversation_id: Mapped[str] = mapped_column(ForeignKey(ConversationRow.id, ondelete="CASCADE"), index=True)
    role: Mapped[str] = mapped_column(CleanText)
    text: Mapped[str] = mapped_column(CleanText)
    payload: Mapped[Any] = mapped_column(CleanJson, nullable=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class PreferenceRow(Row):
    """The table of preferences: a name and a JSON value."""

    __tablename__ = "preferences"
    name: Mapped[str] = mapped_column(CleanText, primary_key=True)
    value: Mapped[Any] = mapped_column(CleanJson, nullable=True)


@dataclass(frozen=True)
class Conversation:
    """A conversation about one knowledge base; its title is its first question, "" before there is one."""

    id: str
    title: str
    base: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Message:
    """What one side said. An assistant's payload is the whole answer with its retrieval, as JSON."""

    id: int
    role: Role
    text: str
    payload: dict[str, Any] | None
    created_at: datetime


class Chats:
    """The conversations of a store. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        create_tables(engine, ConversationRow, MessageRow)

    def create(self, base: str) -> Conversation:
        """A new, empty conversation about the knowledge base `base`."""
        moment = now()
        row = ConversationRow(id=uuid4().hex, title="", base=clean_text(base), created_at=moment, updated_at=moment)
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            session.add(row)
        return _conversation(row)

    def conversations(self) -> list[Conversation]:
        """All of them, the one last written to first."""
        newest_first = select(ConversationRow).order_by(ConversationRow.updated_at.desc(), ConversationRow.created_at.desc())
        with Session(self._engine) as session:
            return [_conversation(row) for row in session.scalars(newest_first)]

    def rename(self, conversation_id: str, title: str) -> None:
        """Give it a title of at most 80 characters. Raises UnknownConversation."""
        self._update(conversation_id, title=_title(title))

    def rename_base(self, name: str, new_name: str) -> None:
        """Let the conversations about a base follow it to its new name."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(ConversationRow).where(ConversationRow.base == name).values(base=new_name))

    def delete(self, conversation_id: str) -> None:
        """Forget it with its messages; nothing happens when it is gone already."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(ConversationRow).where(ConversationRow.id == conversation_id))

    def add(self, conversation_id: str, role: Role, text: str, *, payload: dict[str, Any] | None = None) -> Message:
        """Keep a message; the first question becomes the title. Raises UnknownConversation."""
        row = MessageRow(conversation_id=conversation_id, role=role, text=clean_text(text), payload=payload, created_at=now())
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            self._touch(session, conversation_id, updated_at=row.created_at)
            if role == "user":
                untitled = (ConversationRow.id == conversation_id) & (ConversationRow.title == "")
                session.execute(update(ConversationRow).where(untitled).values(title=_title(text)))
            session.add(row)
            session.flush()
            session.refresh(row)
        return _message(row)

    def messages(self, conversation_id: str) -> list[Message]:
        """Its messages, oldest first; none when it does not exist."""
        oldest_first = select(MessageRow).where(MessageRow.conversation_id == conversation_id).order_by(MessageRow.id)
        with Session(self._engine) as session:
            return [_message(row) for row in session.scalars(oldest_first)]

    def _update(self, conversation_id: str, **values: Any) -> None:
        with Session(self._engine) as session, session.begin():
            self._touch(session, conversation_id, **values)

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


def _title(text: str) -> str:
    words = " ".join(clean_text(text).split())
    return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1].rstrip() + "…"


def _conversation(row: ConversationRow) -> Conversation:
    return Conversation(row.id, row.title, row.base, row.created_at, row.updated_at)


def _message(row: MessageRow) -> Message:
    role: Role = "user" if row.role == "user" else "assistant"
    return Message(row.id, role, row.text, row.payload, row.created_at)
