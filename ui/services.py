"""Everything the page needs, built once and passed on; it holds nothing of a single user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chains import Turn
from ingest.jobs import Jobs
from ingest.pipeline import Pipeline
from ingest.reindexing import Reindexing
from models import get_chat_model, get_embeddings
from retrievers import EVERY_DOCUMENT, Explainer, Filter, Retriever
from settings import Settings, load_secrets, load_settings
from store.chats import Chats, Preferences
from store.database import connect
from store.library import Base, Library
from store.presets import Presets
from store.queue import JobQueue
from store.stores import Stores


class Services:
    """The app behind the page. Call `close` when it is let go."""

    def __init__(self) -> None:
        self._settings, self._secrets = load_settings(), load_secrets()
        folder = self._settings.store.dir
        self._engine = connect(folder)
        self.library = Library(self._engine, folder=folder)
        self.chats, self.preferences, self.presets = Chats(self._engine), Preferences(self._engine), Presets(self._engine)
        embeddings = get_embeddings(self._settings, self._secrets, cache=folder / "cache" / "embeddings")
        self._stores = Stores(self.library, embeddings, self._settings)
        self._pipeline = Pipeline(self._stores)
        self._retriever = Retriever(self._stores, self._secrets, cache=folder / "cache")
        self.jobs = Jobs(JobQueue(self._engine), self.library, self._pipeline, self._settings)
        self.reindexing = Reindexing(self._stores, self._pipeline)
        self.jobs.start()

    def settings(self) -> Settings:
        """The settings of the file and the environment, on which the sliders' changes are laid."""
        return self._settings

    def open_turn(self, settings: Settings, bases: Sequence[str], limits: Filter = EVERY_DOCUMENT) -> Turn:
        """A turn of a conversation over bases. Raises StoreError, ModelError."""
        model = get_chat_model(settings, self._secrets)
        return Turn(self._retriever, self._named(bases), settings, model=model, limits=limits)

    def retrieve(
        self, question: str, settings: Settings, bases: Sequence[str], limits: Filter = EVERY_DOCUMENT
    ) -> dict[str, Any]:
        """The contexts for a question, without an answer, as JSON values. Raises StoreError."""
        model = get_chat_model(settings, self._secrets)
        return self._retriever.retrieve(question, self._named(bases), settings, model=model, limits=limits).as_json()

    def explain(
        self, question: str, expected: str, settings: Settings, bases: Sequence[str], limits: Filter = EVERY_DOCUMENT
    ) -> dict[str, Any]:
        """What became of an expected passage (retrievers/explain.py), as JSON values. Raises StoreError."""
        model = get_chat_model(settings, self._secrets)
        explainer = Explainer(self._retriever, self.library, self._named(bases), settings, model=model, limits=limits)
        return explainer.explain(question, expected).as_json()

    def delete_document(self, base_name: str, source: str) -> bool:
        """Take a document, or one of its names, out of a base. Raises StoreError."""
        base = self.library.base(base_name)
        gone = self._pipeline.delete(base, source)
        self._pipeline.finish(base)
        return gone

    def rename_base(self, name: str, new_name: str) -> str:
        """Give a base another name, which its conversations follow; returns it. Raises StoreError."""
        renamed = self.library.rename_base(name, new_name).name
        self.chats.rename_base(name, renamed)
        return renamed

    def delete_base(self, name: str) -> None:
        """Remove a base with all its documents. Raises StoreError."""
        base = self.library.base(name)
        self.library.delete_base(name)
        self._stores.forget(base)

    def _named(self, bases: Sequence[str]) -> list[Base]:
        return [self.library.base(name) for name in bases]

    def close(self) -> None:
        """Finish the file at hand and let go of the database."""
        self.reindexing.stop()
        self.jobs.stop()
        self._engine.dispose()
