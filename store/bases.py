"""Knowledge bases: their names, their folders, and the passport that says what built each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout
from sqlalchemy import Engine, delete, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from store.database import clean_text, create_tables, now
from store.errors import InvalidName, Occupied, UnknownBase, naming_failures
from store.files import Files
from store.rows import TABLES, BaseRow, ChangeRow, DocumentRow, JobRow

LONGEST_NAME = 80


@dataclass(frozen=True)
class Base:
    """A knowledge base. `passport` names what built it: embedder, chunker, schema version; {} before the first document."""

    id: str
    name: str
    passport: dict[str, Any]
    created_at: datetime


class Bases:
    """The knowledge bases of a store folder, and the locks that keep its users from each other's way."""

    def __init__(self, engine: Engine, *, folder: Path) -> None:
        self.engine, self.folder = engine, folder
        self.files = Files(engine, folder)
        with naming_failures(folder):
            create_tables(engine, *TABLES)

    def bases(self) -> list[Base]:
        """All bases, by name."""
        with Session(self.engine) as session:
            return [_base(row) for row in session.scalars(select(BaseRow).order_by(BaseRow.name))]

    def base(self, name: str) -> Base:
        """The base of that name. Raises UnknownBase."""
        with Session(self.engine) as session:
            row = session.scalar(select(BaseRow).where(BaseRow.name == name))
        if row is None:
            known = ", ".join(base.name for base in self.bases()) or "none yet"
            raise UnknownBase(f"There is no knowledge base {name!r}. Bases: {known}.")
        return _base(row)

    def by_id(self, base_id: str) -> Base:
        """The base with that id, as it is now. Raises UnknownBase."""
        with Session(self.engine) as session:
            row = session.get(BaseRow, base_id)
        if row is None:
            raise UnknownBase("The knowledge base was deleted meanwhile. Choose another one.")
        return _base(row)

    def ensure_base(self, name: str) -> Base:
        """The base of that name, made when it is missing. Raises InvalidName."""
        clean = _checked_name(name)
        with naming_failures(self.folder), Session(self.engine) as session, session.begin():
            new = {"id": uuid4().hex, "name": clean, "passport": {}, "created_at": now()}
            session.execute(insert(BaseRow).values(new).on_conflict_do_nothing(index_elements=[BaseRow.name]))
        return self.base(clean)

    def rename_base(self, name: str, new_name: str) -> Base:
        """Give a base another name; nothing else changes. Raises UnknownBase, InvalidName."""
        base, clean = self.base(name), _checked_name(new_name)
        if clean != base.name and any(other.name == clean for other in self.bases()):
            raise InvalidName(f"There is a knowledge base {clean!r} already. Choose another name.")
        with Session(self.engine) as session, session.begin():
            session.execute(update(BaseRow).where(BaseRow.id == base.id).values(name=clean))
        return self.base(clean)

    def delete_base(self, name: str) -> None:
        """Remove a base with its documents, chunks and files; waits for a change of it that is under way. Raises UnknownBase."""
        base = self.base(name)
        with self.lock(base.id), Session(self.engine) as session:
            versions = {
                version
                for rows in (DocumentRow, JobRow, ChangeRow)
                for version in session.scalars(select(rows.version).where(rows.base_id == base.id))
            }
            session.execute(delete(BaseRow).where(BaseRow.id == base.id))
            session.commit()
            shutil.rmtree(self.chunk_folder(base), ignore_errors=True)
        self.files.forget(version for version in versions if version)

    def set_passport(self, base: Base, passport: Mapping[str, Any]) -> None:
        """Write down what built the base."""
        with Session(self.engine) as session, session.begin():
            session.execute(update(BaseRow).where(BaseRow.id == base.id).values(passport=dict(passport)))

    def chunk_folder(self, base: Base) -> Path:
        """Where the base's chunks lie; the name is the id, since a base's name may be in any script."""
        return self.folder / "bases" / base.id

    def tidy(self) -> None:
        """Remove the folders of bases that are gone, and bytes that nothing refers to: what killed processes left."""
        with naming_failures(self.folder):
            folders = list((self.folder / "bases").glob("*"))  # before the rows: a base's row is there before its folder
            known = {base.id for base in self.bases()}
            for folder in folders:
                if folder.name not in known:
                    shutil.rmtree(folder, ignore_errors=True)
        self.files.sweep()

    @contextmanager
    def lock(self, name: str, *, timeout: float = -1) -> Iterator[None]:
        """Hold a lock among all threads and processes that use this folder; a process that dies lets go of it.

        Raises Occupied after `timeout` seconds; -1 waits for ever.
        """
        lock = FileLock(self.folder / "locks" / f"{name}.lock", timeout=timeout, poll_interval=0.01)
        with naming_failures(self.folder):
            Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise Occupied("Another process is at it just now. Wait until it has finished.") from None
        try:
            yield
        finally:
            lock.release()


def _checked_name(name: str) -> str:
    clean = " ".join(clean_text(name).split())
    if not clean or len(clean) > LONGEST_NAME or not clean.isprintable():
        raise InvalidName(f"A knowledge base needs a name of 1 to {LONGEST_NAME} visible characters.")
    return clean


def _base(row: BaseRow) -> Base:
    return Base(id=row.id, name=row.name, passport=dict(row.passport), created_at=row.created_at)
