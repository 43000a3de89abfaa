"""The SQLite tables of the conversations.

What came later stands in tables of its own beside the first two (`conversation_states`, `branches`, `ratings`), so that a store
of an older version opens as it is: a row that is missing there has a meaning.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from store.database import CleanJson, CleanText, Row, UtcTime


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


class BranchRow(Row):
    """The table of what each question follows; NULL begins the conversation, no row follows the question before it by id."""

    __tablename__ = "branches"
    question_id: Mapped[int] = mapped_column(ForeignKey(MessageRow.id, ondelete="CASCADE"), primary_key=True)
    after: Mapped[int | None] = mapped_column(ForeignKey(MessageRow.id, ondelete="CASCADE"))


class StateRow(Row):
    """The table of what a person did with a conversation: pinned it, and looked last at the branch of a question."""

    __tablename__ = "conversation_states"
    conversation_id: Mapped[str] = mapped_column(ForeignKey(ConversationRow.id, ondelete="CASCADE"), primary_key=True)
    pinned: Mapped[bool] = mapped_column(default=False)
    branch: Mapped[int | None] = mapped_column(ForeignKey(MessageRow.id, ondelete="SET NULL"))


class RatingRow(Row):
    """The table of ratings; a thumb is "up", "down" or NULL, a comment may be empty, but not both are missing."""

    __tablename__ = "ratings"
    message_id: Mapped[int] = mapped_column(ForeignKey(MessageRow.id, ondelete="CASCADE"), primary_key=True)
    thumb: Mapped[str | None] = mapped_column(CleanText)
    comment: Mapped[str] = mapped_column(CleanText)
    rated_at: Mapped[datetime] = mapped_column(UtcTime)
