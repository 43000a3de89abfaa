"""What the tests of this package work on: a store folder with a base, opened as the app opens it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from lancedb.expr import lit

from ingest.pipeline import Pipeline
from ingest.report import FileReport
from models.base import GlassboxEmbeddings
from settings import Settings, load_settings
from store.changes import Changes
from store.chunks import ChunkStore
from store.database import connect
from store.filters import build_filter
from store.library import Base, Library
from store.stores import Stores
from tests.standin import shared_sandbox


@dataclass
class Desk:
    """A base of a store folder, with what adds to it and reads it. `reopened` is a new process's view of the same folder."""

    stores: Stores
    pipeline: Pipeline
    settings: Settings
    name: str = "test"

    @classmethod
    def on(cls, folder: Path, embeddings: GlassboxEmbeddings, **changes: Any) -> Self:
        settings = load_settings({"store.dir": str(folder), **changes}, env={})
        stores = Stores(Library(connect(folder), folder=folder), embeddings, settings)
        stores.library.ensure_base("test")
        return cls(stores, Pipeline(stores, shared_sandbox()), settings)

    def reopened(self, embeddings: GlassboxEmbeddings | None = None, **changes: Any) -> Desk:
        return Desk.on(self.library.folder, embeddings or self.stores.embeddings, **changes)

    @property
    def library(self) -> Library:
        return self.stores.library

    @property
    def base(self) -> Base:
        return self.library.base(self.name)

    @property
    def chunks(self) -> ChunkStore:
        return self.stores.open_any(self.base)

    def add(self, source: str, content: str | bytes, **ingest: Any) -> FileReport:
        settings = self.settings.override({f"ingest.{key}": value for key, value in ingest.items()})
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        return self.pipeline.run(self.base, source, data, settings)

    def add_text(self, source: str, text: str) -> str:
        return self.add(source, text).status

    def delete(self, source: str) -> bool:
        return self.pipeline.delete(self.base, source)

    def lexical(self, query: str) -> list[str]:
        """The sources that full text finds, best first."""
        return [c.metadata["source"] for c, _ in self.chunks.search_text(query, depth=50, where=build_filter(None))]

    def vector(self, query: str) -> list[str]:
        """The sources that vectors find, best first."""
        return [d.metadata["source"] for d in self.chunks.similarity_search(query, k=50)]

    def names(self) -> list[str]:
        return [document.source for document in self.library.documents(self.base)]

    def kept(self) -> set[str]:
        """The sha256 of the files that are kept."""
        return {path.name for path in (self.library.folder / "files").glob("*")}

    def check(self) -> None:
        """Rows and chunks are in step: nothing is lost, doubled, orphaned or half."""
        documents = self.library.documents(self.base)
        assert all(document.status in ("ready", "empty") for document in documents)
        columns = ["id", "doc_id", "version", "source", "text", "start", "end", "kind"]
        rows = self.chunks._rows(lit(True), columns).to_pylist()
        assert len({row["id"] for row in rows}) == len(rows)
        rows = [row for row in rows if row["kind"] == "chunk"]
        assert len(rows) == sum(document.chunks for document in documents)
        texts = {document.doc_id: self.library.text(document.doc_id) for document in documents}
        for row in rows:
            assert row["text"] == texts[row["doc_id"]][row["start"] : row["end"]]
        for document in documents:
            own = [row for row in rows if row["doc_id"] == document.doc_id]
            assert len(own) == document.chunks == document.report["chunks_stored"]
            assert {(row["version"], row["source"]) for row in own} <= {(document.version, document.source)}
        assert self.kept() == {document.version for document in documents}
        with Changes(self.stores).of(self.base) as base:
            assert Changes(self.stores).left(base) == []


def write(path: Path, text: str) -> Path:
    """A text file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
