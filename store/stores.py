"""Opening the chunks of a base, once a process, and holding its passport against the embedder in use."""

from __future__ import annotations

import threading

from models.base import GlassboxEmbeddings
from settings import Settings
from store.chunks import ChunkStore
from store.errors import EmbedderMismatch
from store.library import Base, Library
from store.schema import SCHEMA_VERSION


class Stores:
    """The opened chunk stores of a library, all with one embedder."""

    def __init__(self, library: Library, embeddings: GlassboxEmbeddings, settings: Settings) -> None:
        self.library, self.embeddings = library, embeddings
        self._settings = settings
        self._opened: dict[str, ChunkStore] = {}
        self._lock = threading.Lock()

    def open(self, base: Base) -> ChunkStore:
        """The chunks of a base. Raises EmbedderMismatch when another embedder built it."""
        self._check(base)
        with self._lock:
            if base.id not in self._opened:
                self._opened[base.id] = ChunkStore(
                    self.embeddings,
                    folder=self.library.chunk_folder(base),
                    dimension=self.embeddings.dimension,
                    refresh_seconds=self._settings.store.refresh_seconds,
                )
            return self._opened[base.id]

    def sign(self, base: Base, settings: Settings) -> None:
        """Write into the base's passport what builds it, once there is something to build."""
        passport = {
            "schema": SCHEMA_VERSION,
            "embedder": self.embeddings.passport(),
            "ingest": settings.ingest.model_dump(mode="json"),
        }
        if base.passport != passport:
            self.library.set_passport(base, passport)

    def forget(self, base: Base) -> None:
        """Let go of a base that is deleted."""
        with self._lock:
            self._opened.pop(base.id, None)

    def _check(self, base: Base) -> None:
        built = base.passport.get("embedder")
        if built and built != self.embeddings.passport():
            raise EmbedderMismatch(
                f"The base {base.name!r} was built with {built['model']} ({built['dimension']} dimensions), the settings ask for "
                f"{self.embeddings.model} ({self.embeddings.dimension}). Set embeddings back, or index it again: "
                f"python -m ingest reindex --kb {base.name!r}."
            )
