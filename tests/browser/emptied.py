"""A store as it was before its first use, while the app is running on it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import MetaData

from store.database import connect
from store.library import Library


def make_empty(folder: Path) -> None:
    """Delete everything in a store: bases as a second process would, then what is left in any table."""
    engine = connect(folder)
    library, tables = Library(engine, folder=folder), MetaData()
    for base in library.bases():
        library.delete_base(base.name)
    tables.reflect(engine)
    with engine.begin() as connection:
        for table in reversed(tables.sorted_tables):
            connection.execute(table.delete())
    engine.dispose()
