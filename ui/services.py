"""Everything the page needs, built once and passed on; it holds nothing of a single user."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import SecretStr

from chains import Turn
from chains.cache import open_answers
from ingest import edits
from ingest.document import LoadedDocument
from ingest.enrich.runs import EnrichmentRuns
from ingest.jobs import Jobs
from ingest.pipeline import Pipeline
from ingest.preview import Preview, preview
from ingest.reindexing import Reindexing
from ingest.sandbox import Sandbox
from ingest.sources.gathering import Gathering
from ingest.view.picture import PageAsked
from ingest.view.viewer import ShownPage, Viewer
from models import get_chat_model, get_chat_models, get_embeddings
from models.check import Checked, check_models
from retrievers import EVERY_DOCUMENT, Explainer, Filter, Retriever
from retrievers.queries import Query
from settings import Settings, load_secrets, load_settings
from settings.process import collect_rarely, few_heaps
from store.chats import Chats, Preferences
from store.database import connect
from store.library import Base, Library, StoredDocument
from store.presets import Presets
from store.prompts import OwnPrompts
from store.queue import JobQueue
from store.stores import Stores


class Services:
    """The app behind the page. Call `close` when it is let go."""

    def __init__(self) -> None:
        few_heaps()
        self._settings, self._secrets = load_settings(), load_secrets()
        folder = self._settings.store.dir
        self._engine = connect(folder)
        self.library = Library(self._engine, folder=folder)
        self.chats, self.preferences, self.presets = Chats(self._engine), Preferences(self._engine), Presets(self._engine)
        self.prompts = OwnPrompts(self._engine)
        embeddings = get_embeddings(self._settings, self._secrets, cache=folder / "cache" / "embeddings")
        self._stores = Stores(self.library, embeddings, self._settings)
        self._pipeline = Pipeline(self._stores)
        self._retriever = Retriever(self._stores, self._secrets, cache=folder / "cache")
        self.answers = open_answers(self._settings)
        self.jobs = Jobs(JobQueue(self._engine), self.library, self._pipeline, self._settings)
        self._sandbox = Sandbox()  # of its own: what a person looks at does not wait for what is being indexed
        self._viewer = Viewer(self._settings.view, self._settings.ingest)
        self.reindexing = Reindexing(self._stores, self._pipeline)
        self.gathering = Gathering(self.library, self._pipeline, self.jobs)
        self.enriching = EnrichmentRuns(self._stores, self._pipeline)
        self.jobs.start()
        collect_rarely()

    def settings(self) -> Settings:
        """The settings of the file and the environment, on which the sliders' changes are laid."""
        return self._settings

    def open_turn(
        self, settings: Settings, bases: Sequence[str], limits: Filter = EVERY_DOCUMENT, own: Collection[str] = ()
    ) -> Turn:
        """A turn of a conversation over bases; `own` names settings that no route changes. Raises StoreError, ModelError."""
        models = get_chat_models(settings, self._secrets)
        return Turn(self._retriever, self._named(bases), settings, model=models, limits=limits, own=own, answers=self.answers)

    def retrieve(
        self,
        question: str,
        settings: Settings,
        bases: Sequence[str],
        limits: Filter = EVERY_DOCUMENT,
        queries: Sequence[Query] = (),
    ) -> dict[str, Any]:
        """The contexts for a question, and for `queries` beside it, without an answer, as JSON values. Raises StoreError."""
        model = get_chat_model(settings, self._secrets, role="rewrite")
        found = self._retriever.retrieve(question, self._named(bases), settings, model=model, limits=limits, queries=queries)
        return found.as_json()

    def check_models(self, settings: Settings) -> list[Checked]:
        """Whether each model that the settings name answers."""
        return check_models(settings, self._secrets)

    def explain(
        self, question: str, expected: str, settings: Settings, bases: Sequence[str], limits: Filter = EVERY_DOCUMENT
    ) -> dict[str, Any]:
        """What became of an expected passage (retrievers/explain.py), as JSON values. Raises StoreError."""
        model = get_chat_model(settings, self._secrets, role="rewrite")
        explainer = Explainer(self._retriever, self.library, self._named(bases), settings, model=model, limits=limits)
        return explainer.explain(question, expected).as_json()

    def count_enrichment(
        self, base_name: str, settings: Settings, *, keywords: bool, document: StoredDocument | None = None
    ) -> None:
        """Find out what enriching a base, or a document of it, would take (ingest/enrich/runs.py). Raises StoreError."""
        model, vision = (get_chat_model(settings, self._secrets, role=role) for role in ("rewrite", "vision"))
        base = self.library.base(base_name)
        self.enriching.count(base, settings, model=model, vision=vision, keywords=keywords, document=document)

    def delete_document(self, base_name: str, source: str) -> bool:
        """Take a document, or one of its names, out of a base. Raises StoreError."""
        base = self.library.base(base_name)
        gone = self._pipeline.delete(base, source)
        self._pipeline.finish(base)
        return gone

    def read(self, name: str, data: bytes, settings: Settings, password: SecretStr | None = None) -> LoadedDocument:
        """A file's text, of which nothing is stored. Raises LoadError."""
        return next(filter(None, self._sandbox.load(name, data, settings.ingest, password)))

    def page_picture(self, document: StoredDocument, asked: PageAsked, password: SecretStr | None = None) -> ShownPage:
        """A page of the kept file of a document. Raises LoadError, and StoreError when there is no file any more."""
        kept = self.library.files
        return self._viewer.page_picture(document.source, document.version, lambda: kept.read(document.version), asked, password)

    def preview(self, document: LoadedDocument, settings: Settings, *, most: int) -> Preview:
        """How the first `most` characters of a document would be cut. Raises ModelError."""
        return preview(document, settings, self._stores.embeddings, most=most)

    def chunks(self, base_name: str, source: str) -> edits.DocumentChunks:
        """The chunks of a document, those switched off included. Raises StoreError."""
        return edits.chunks(self._stores, self.library.base(base_name), source)

    def segments(self, base_name: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
        """Where the segments of these chunks lie in the document's text, by chunk id."""
        found = self._stores.open_any(self.library.base(base_name)).candidates(chunk_ids)
        return {str(chunk.id): [(start, end) for start, end in chunk.metadata.get("segments") or ()] for chunk in found}

    def switch(self, base_name: str, source: str, *, on: bool, chunk_ids: Collection[str] = ()) -> None:
        """Switch a document, or these chunks of it, on or off. Raises StoreError."""
        edits.switch(self._stores, self.library.base(base_name), source, on=on, chunk_ids=chunk_ids)

    def correct(self, base_name: str, chunk_id: str, text: str) -> None:
        """Put a text in the place of a chunk's. Raises StoreError, ModelError."""
        edits.correct(self._stores, self.library.base(base_name), chunk_id, text, self._settings)

    def revert(self, base_name: str, chunk_id: str) -> None:
        """Let a chunk have the document's text again. Raises StoreError, ModelError."""
        edits.revert(self._stores, self.library.base(base_name), chunk_id, self._settings)

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
        self._sandbox.close()
        self.gathering.stop()
        self.enriching.stop()
        self._viewer.close()
        self.reindexing.stop()
        self.jobs.stop()
        self.answers.close()
        self._engine.dispose()
