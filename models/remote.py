"""Embeddings from an OpenAI-compatible endpoint; a module of its own, as the client takes a second to import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from langchain_openai import OpenAIEmbeddings

from models.base import GlassboxEmbeddings
from models.endpoint import Endpoint
from models.errors import ModelError
from models.text import sendable
from models.usage import counted

Vectors = list[list[float]]


class RemoteEmbeddings(GlassboxEmbeddings):
    """An OpenAI-compatible /embeddings endpoint, through langchain-openai."""

    provider = "openai"

    def __init__(self, endpoint: Endpoint, *, dimension: int = 0, batch_size: int = 8) -> None:
        self.model = endpoint.model
        self._endpoint = endpoint
        self._asked_dimension = dimension
        self._batch_size = batch_size

    def __repr__(self) -> str:
        return f"RemoteEmbeddings(model={self.model!r}, base_url={self._endpoint.place!r})"

    @cached_property
    def dimension(self) -> int:
        """The configured length, or that of a first vector. Raises ModelError."""
        return self._asked_dimension or len(self.embed_query("dimension"))

    def embed_documents(self, texts: list[str]) -> Vectors:
        """One vector a text. Raises ModelError."""
        vectors: Vectors = []
        for start in range(0, len(texts), self._batch_size):
            vectors += self._embed(texts[start : start + self._batch_size])
        if len({len(vector) for vector in vectors}) > 1:
            raise self._unusable("vectors of different lengths")
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question. Raises ModelError."""
        return self._embed([text])[0]

    @cached_property
    def _client(self) -> OpenAIEmbeddings:
        return OpenAIEmbeddings(
            model=self.model,
            openai_api_base=self._endpoint.url,
            openai_api_key=self._endpoint.key,
            chunk_size=self._batch_size,
            request_timeout=self._endpoint.timeout_seconds,
            max_retries=0,  # the endpoint tries again itself, but not after a time-out
            http_client=self._endpoint.http_client(),
            check_embedding_ctx_length=False,  # else it downloads a tokenizer and sends token numbers, which few servers take
        )

    def _embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of one batch, which is one call: so a wrong number of vectors cannot shift those of another batch."""
        clean = [sendable(text) or " " for text in texts]  # servers refuse an empty text
        with counted("embeddings", self.model, self._endpoint.place):
            vectors = self._endpoint.patiently(lambda: self._client.embed_documents(clean))
        if len(vectors) != len(texts):
            raise self._unusable(f"{len(vectors)} vectors for {len(texts)} texts")
        if len({len(vector) for vector in vectors}) != 1:
            raise self._unusable("vectors of different lengths")
        self._check_dimension(len(vectors[0]))
        with self._endpoint.explained():
            rows = np.asarray(vectors, dtype=np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or (norms == 0).any():
            raise self._unusable("a vector of zeros, or not of numbers")
        return [row.tolist() for row in rows / norms]

    def _check_dimension(self, length: int) -> None:
        if self._asked_dimension and length != self._asked_dimension:
            raise ModelError(
                f"The model {self.model!r} gives vectors of {length} numbers, embeddings.dimension says {self._asked_dimension}. "
                "Set it to 0 or to the model's own.",
                code="dimension",
            )

    def _unusable(self, what: str) -> ModelError:
        return ModelError(
            f"The embedding model {self.model!r} at {self._endpoint.place} gave {what}. Try another model or server.",
            code="malformed",
        )
