"""Ratings: what a person thinks of an answer, a thumb and a comment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Engine, delete
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.chat_rows import ConversationRow, MessageRow, RatingRow
from store.database import clean_text, create_tables, now
from store.errors import StoreError

Thumb = Literal["up", "down"]
LONGEST_COMMENT = 2000
"""Characters."""


class UnknownMessage(StoreError):
    """The answer does not exist, or no longer: another tab may have deleted its conversation."""

    code = "unknown_message"


@dataclass(frozen=True)
class Rating:
    """A thumb (None: none), a comment ("": none), and when the later of the two was given."""

    thumb: Thumb | None
    comment: str
    rated_at: datetime


class Ratings:
    """The ratings of a store, one an answer. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        create_tables(engine, ConversationRow, MessageRow, RatingRow)

    def rate(self, message_id: int, thumb: Thumb | None) -> None:
        """Give an answer a thumb, or take it back; its comment stays. Raises UnknownMessage."""
        self._put(message_id, thumb=thumb)

    def comment(self, message_id: int, comment: str) -> None:
        """Say something about an answer, in at most 2,000 characters, or take it back with ""; its thumb stays.

        Raises UnknownMessage.
        """
        self._put(message_id, comment=clean_text(comment).strip()[:LONGEST_COMMENT])

    def _put(self, message_id: int, **given: Any) -> None:
        kept = {"rated_at": now(), **given}
        row = insert(RatingRow).values({"message_id": message_id, "thumb": None, "comment": "", **kept})
        nothing = (RatingRow.message_id == message_id) & RatingRow.thumb.is_(None) & (RatingRow.comment == "")
        try:
            with Session(self._engine) as session, session.begin():
                session.execute(row.on_conflict_do_update(index_elements=["message_id"], set_=kept))
                session.execute(delete(RatingRow).where(nothing))
        except IntegrityError as error:
            raise UnknownMessage("The answer is not there any more; its conversation was deleted.") from error


def rating_of(row: RatingRow | None) -> Rating | None:
    """The rating of a row."""
    if row is None:
        return None
    thumb: Thumb | None = "up" if row.thumb == "up" else "down" if row.thumb == "down" else None
    return Rating(thumb, row.comment, row.rated_at)
