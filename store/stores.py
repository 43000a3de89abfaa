"""Opening the chunks of a base, once a process, and holding its passport against the embedder in use."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from models.base import GlassboxEmbeddings
from settings import Settings
from store.chunks import ChunkStore
from store.database import connect
from store.errors import EmbedderMismatch, StoreError
from store.library import Base, Library
from store.schema import SCHEMA_VERSION

FIRST_TABLE = "chunks"
"""The table of a base that was never indexed again; the passport names a later one."""


class Stores:
    """The opened chunk stores of a library, all with one embedder."""

    def __init__(self, library: Library, embeddings: GlassboxEmbeddings, settings: Settings) -> None:
        self.library, self.embeddings = library, embeddings
        self.settings = settings
        self._opened: dict[tuple[str, str], ChunkStore] = {}
        self._lock = threading.Lock()

    def open(self, base: Base) -> ChunkStore:
        """The chunks of a base, to search or to add to. Raises EmbedderMismatch when another embedder built what is in it."""
        self._check(base)
        return self._open(base, table_of(base), self.embeddings.dimension)

    def open_any(self, base: Base) -> ChunkStore:
        """The chunks of a base whatever built it, to count, to delete and to tidy."""
        return self._open(base, table_of(base), base.passport.get("embedder", {}).get("dimension"))

    def beside(self, base: Base, table: str) -> ChunkStore:
        """Another table of the base, for the embedder in use, that nobody searches yet."""
        return self._open(base, table, self.embeddings.dimension)

    def passport(self, base: Base, settings: Mapping[str, Any], *, table: str | None = None) -> dict[str, Any]:
        """What is written into a base's passport; `settings` are those of ingest, as JSON."""
        passport = {"schema": SCHEMA_VERSION, "embedder": self.embeddings.passport(), "ingest": dict(settings)}
        return passport | {"table": table or table_of(base)}

    def sign(self, base: Base, settings: Mapping[str, Any]) -> None:
        """Write into the base's passport what builds it, once there is something to build."""
        passport = self.passport(base, settings)
        if base.passport != passport:
            self.library.set_passport(base, passport)

    def tidy(self, base: Base) -> None:
        """Remove the tables that an older index, or an index that was never finished, left."""
        folder = self.library.chunk_folder(base)
        for name in sorted(path.stem for path in folder.glob("*.lance")):
            if name != table_of(base):
                self._open(base, name, None).drop()
                with self._lock:
                    self._opened.pop((base.id, name), None)

    def forget(self, base: Base) -> None:
        """Let go of a base that is deleted."""
        with self._lock:
            self._opened = {key: store for key, store in self._opened.items() if key[0] != base.id}

    def _open(self, base: Base, table: str, dimension: int | None) -> ChunkStore:
        with self._lock:
            key = (base.id, table)
            if key not in self._opened:
                self._opened[key] = ChunkStore(
                    self.embeddings,
                    folder=self.library.chunk_folder(base),
                    name=table,
                    dimension=dimension,
                    refresh_seconds=self.settings.store.refresh_seconds,
                    index_from=self.settings.store.vector_index_from,
                )
            return self._opened[key]

    def _check(self, base: Base) -> None:
        if base.passport.get("schema", SCHEMA_VERSION) > SCHEMA_VERSION:
            raise StoreError(
                f"The base {base.name!r} was made by a newer version of Glassbox. Use that version, or another store.dir.",
                code="newer_schema",
                name=base.name,
            )
        built = base.passport.get("embedder")
        if built and built != self.embeddings.passport() and not self.library.is_empty(base):
            asked = self.embeddings
            raise EmbedderMismatch(
                f"The base {base.name!r} was built with {built['model']} ({built['dimension']} dimensions), the settings ask for "
                f"{asked.model} ({asked.dimension}). Set embeddings back, or index it again: "
                f"python -m ingest reindex --kb {base.name!r}.",
                name=base.name,
                built=f"{built['model']} ({built['dimension']})",
                asked=f"{asked.model} ({asked.dimension})",
            )


def table_of(base: Base) -> str:
    """The name of the table that the base is searched in."""
    return str(base.passport.get("table", FIRST_TABLE))


def open_stores(settings: Settings, embeddings: GlassboxEmbeddings) -> Stores:
    """The stores of the folder that the settings name, which is made when it is missing. Raises StoreError."""
    folder = settings.store.dir
    return Stores(Library(connect(folder), folder=folder), embeddings, settings)
