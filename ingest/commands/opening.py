"""What a command works with, opened as the settings say."""

from __future__ import annotations

from ingest.pipeline import Pipeline
from models import get_embeddings
from settings import Settings, load_secrets
from settings.process import few_heaps
from store.stores import Stores, open_stores


def open_pipeline(settings: Settings) -> tuple[Pipeline, Stores]:
    """The pipeline and the stores that it writes to. Raises StoreError, ModelError."""
    few_heaps()
    embeddings = get_embeddings(settings, load_secrets(), cache=settings.store.dir / "cache" / "embeddings")
    stores = open_stores(settings, embeddings)
    return Pipeline(stores), stores
