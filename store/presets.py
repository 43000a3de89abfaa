"""Presets: settings of retrieval that a person keeps under a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.database import CleanJson, CleanText, Row, clean_text, create_tables
from store.errors import InvalidName

LONGEST_NAME = 80


class PresetRow(Row):
    """The table of presets."""

    __tablename__ = "presets"
    name: Mapped[str] = mapped_column(CleanText, primary_key=True)
    changes: Mapped[Any] = mapped_column(CleanJson)


@dataclass(frozen=True)
class Preset:
    """A preset: what it changes of the configured settings, by dotted name."""

    name: str
    changes: dict[str, Any]


class Presets:
    """The presets of a store; a name is any text, and there is one preset of a name. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        create_tables(engine, PresetRow)

    def all(self) -> list[Preset]:
        """Every preset, by name."""
        with Session(self._engine) as session:
            return [Preset(row.name, row.changes) for row in session.scalars(select(PresetRow).order_by(PresetRow.name))]

    def save(self, name: str, changes: dict[str, Any]) -> Preset:
        """Keep a preset, in place of an older one of that name; gives it with the name as it is kept. Raises InvalidName."""
        preset = Preset(checked_name(name), changes)
        row = insert(PresetRow).values(name=preset.name, changes=changes)
        with Session(self._engine) as session, session.begin():
            session.execute(row.on_conflict_do_update(index_elements=["name"], set_={"changes": row.excluded.changes}))
        return preset

    def delete(self, name: str) -> None:
        """Forget a preset; nothing happens when there is none."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(PresetRow).where(PresetRow.name == name))


def checked_name(name: str) -> str:
    """The name on one line. Raises InvalidName for a blank one or one of more than 80 characters."""
    words = " ".join(clean_text(name).replace("\x00", "\ufffd").split())
    if not words or len(words) > LONGEST_NAME:
        raise InvalidName(f"A preset's name has from 1 to {LONGEST_NAME} characters.")
    return words
