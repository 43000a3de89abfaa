"""The texts that a person put in the place of prompts, kept beside the files that come with the app (models/prompts)."""

from __future__ import annotations

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from models.prompts import checked
from store.database import CleanText, Row, create_tables


class PromptRow(Row):
    """The table of own prompts; `key` is such as answer.zh."""

    __tablename__ = "prompts"
    key: Mapped[str] = mapped_column(CleanText, primary_key=True)
    text: Mapped[str] = mapped_column(CleanText)


class OwnPrompts:
    """A person's own prompts. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        create_tables(engine, PromptRow)

    def all(self) -> dict[str, str]:
        """Every own text by its key, also one that cannot be used any more (models/prompts/in_force.py)."""
        with Session(self._engine) as session:
            return {row.key: row.text for row in session.scalars(select(PromptRow).order_by(PromptRow.key))}

    def save(self, key: str, text: str) -> str:
        """Put a text in a prompt's place; gives it as it is kept. Raises InvalidPrompt."""
        kept = checked(key, text)
        row = insert(PromptRow).values(key=key, text=kept)
        with Session(self._engine) as session, session.begin():
            session.execute(row.on_conflict_do_update(index_elements=["key"], set_={"text": row.excluded.text}))
        return kept

    def reset(self, key: str) -> None:
        """Let the file's text be in force again; nothing happens when it is."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(PromptRow).where(PromptRow.key == key))
