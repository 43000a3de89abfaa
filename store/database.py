"""The SQLite file of a store folder, and the column types that keep hostile text from breaking it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import DateTime, Dialect, Engine, Text, TypeDecorator, create_engine, event
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.schema import CreateIndex, CreateTable

from store.errors import naming_failures

FILE_NAME = "glassbox.db"
BUSY_TIMEOUT_MS = 30_000


class Row(DeclarativeBase):
    """Base class of every table in the file."""


def connect(store_dir: Path) -> Engine:
    """An engine on `store_dir`/glassbox.db, which any number of threads and processes may use at once.

    Creates the folder. Readers never wait for a writer (WAL); a writer waits up to 30 s for another. Dispose of the engine in
    the end. Raises NotWritable.
    """
    with naming_failures(store_dir):
        store_dir.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{(store_dir / FILE_NAME).resolve()}", connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})
    event.listen(engine, "connect", _prepare)
    return engine


def create_tables(engine: Engine, *rows: type[Row]) -> None:
    """Create the tables and indexes of `rows` where they are missing; two processes may do so at the same time."""
    with engine.begin() as connection:
        for table in Row.metadata.sorted_tables:
            if table in [row.__table__ for row in rows]:
                connection.execute(CreateTable(table, if_not_exists=True))
                for index in table.indexes:
                    connection.execute(CreateIndex(index, if_not_exists=True))


def clean_text(text: str) -> str:
    """The text with each lone surrogate, which UTF-8 cannot encode, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class CleanText(TypeDecorator[str]):
    """Text that survives being written whatever it holds (`clean_text`)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """What is written."""
        return None if value is None else clean_text(value)


class CleanJson(TypeDecorator[Any]):
    """A JSON value, kept as text; every string in it is cleaned, keys too. Never pickled."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """What is written; Python's None is SQL's NULL."""
        return None if value is None else clean_text(json.dumps(value, ensure_ascii=False))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """What is read."""
        return None if value is None else json.loads(value)


class UtcTime(TypeDecorator[datetime]):
    """A point in time, aware and in UTC on both sides; SQLite itself keeps no zone."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """What is written."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """What is read."""
        return None if value is None else value.replace(tzinfo=UTC)


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)


def _prepare(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
