"""Where documents came from: the folder or site, and the mark by which a source tells that nothing has changed since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ForeignKey, delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.bases import Base
from store.database import CleanJson, CleanText, Row, clean_text, create_tables
from store.errors import naming_failures
from store.library import Library
from store.rows import BaseRow

_AT_ONCE = 500
"""SQLite takes a bounded number of values in one statement."""


class OriginRow(Row):
    """The table of origins; a table of its own, since a document's row is there only once it is indexed."""

    __tablename__ = "origins"
    base_id: Mapped[str] = mapped_column(ForeignKey(BaseRow.id, ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(CleanText, primary_key=True)
    place: Mapped[str] = mapped_column(CleanText)
    version: Mapped[str] = mapped_column()
    mark: Mapped[Any] = mapped_column(CleanJson)


@dataclass(frozen=True)
class Origin:
    """The bytes with the sha256 `version` came under `name` from `place`: a folder's absolute path, or the address of a list.

    `mark` is what the source itself made of them, as JSON values: a file's size and times, a page's ETag.
    """

    name: str
    place: str
    version: str
    mark: dict[str, Any] = field(default_factory=dict)


class Origins:
    """The origins of a store folder's documents."""

    def __init__(self, library: Library) -> None:
        self._engine, self._folder = library.engine, library.folder
        with naming_failures(self._folder):
            create_tables(self._engine, BaseRow, OriginRow)

    def of(self, base: Base) -> dict[str, Origin]:
        """All that are remembered of a base, by name. A document may have been replaced since: compare its version."""
        with Session(self._engine) as session:
            rows = session.scalars(select(OriginRow).where(OriginRow.base_id == base.id)).all()
            return {row.name: Origin(row.name, row.place, row.version, dict(row.mark)) for row in rows}

    def remember(self, base: Base, origins: Iterable[Origin]) -> None:
        """Write them down, each in place of what was known under its name. Raises NotWritable."""
        values = [{"base_id": base.id, **vars(origin)} for origin in origins]
        if not values:
            return
        statement = insert(OriginRow)
        new = {key: statement.excluded[key] for key in ("place", "version", "mark")}
        with naming_failures(self._folder), Session(self._engine) as session, session.begin():
            session.execute(statement.on_conflict_do_update(index_elements=["base_id", "name"], set_=new), values)

    def forget(self, base: Base, names: Iterable[str]) -> None:
        """Strike off what is known under these names."""
        chosen = [clean_text(name) for name in names]
        with naming_failures(self._folder), Session(self._engine) as session, session.begin():
            for start in range(0, len(chosen), _AT_ONCE):
                some = chosen[start : start + _AT_ONCE]
                session.execute(delete(OriginRow).where(OriginRow.base_id == base.id, OriginRow.name.in_(some)))
