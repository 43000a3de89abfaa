"""Embeddings from an OpenAI-compatible endpoint; a module of its own, as the client takes a second to import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import openai
from langchain_openai import OpenAIEmbeddings

from models.base import GlassboxEmbeddings
from models.errors import ModelError
from models.openai_errors import explain


class RemoteEmbeddings(GlassboxEmbeddings):
    """An OpenAI-compatible /embeddings endpoint, through langchain-openai."""

    provider = "openai"

    def __init__(
        self, *, model: str, base_url: str, api_key: str, dimension: int, batch_size: int, timeout_seconds: float
    ) -> None:
        self.model = model
        self._base_url = base_url
        self._asked_dimension = dimension
        self._client_arguments = {
            "model": model,
            "base_url": base_url or None,
            "api_key": api_key,
            "chunk_size": batch_size,
            "timeout": timeout_seconds,
            "max_retries": 2,
            "check_embedding_ctx_length": False,  # else it downloads a tokenizer and sends token numbers, which few servers take
        }

    @cached_property
    def dimension(self) -> int:
        """The configured length, or that of a first vector."""
        return self._asked_dimension or len(self.embed_query("dimension"))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text. Raises ModelError."""
        if not texts:
            return []
        return self._checked(self._call(self._client.embed_documents, [text or " " for text in texts]), len(texts))

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question. Raises ModelError."""
        return self._checked([self._call(self._client.embed_query, text or " ")], 1)[0]

    @cached_property
    def _client(self) -> OpenAIEmbeddings:
        return OpenAIEmbeddings(**self._client_arguments)

    def _call(self, method: Any, argument: Any) -> Any:
        try:
            return method(argument)
        except openai.OpenAIError as error:
            raise explain(error, what="embedding", base_url=self._base_url, model=self.model) from error
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise ModelError(
                f"The embedding endpoint {self._base_url} gave an answer that is no list of vectors.", code="malformed"
            ) from error

    def _checked(self, vectors: Sequence[Sequence[float]], count: int) -> list[list[float]]:
        if len(vectors) != count or len({len(v) for v in vectors}) != 1:
            raise ModelError(f"The embedding endpoint gave {len(vectors)} vectors for {count} texts.", code="malformed")
        if self._asked_dimension and len(vectors[0]) != self._asked_dimension:
            raise ModelError(
                f"The model {self.model!r} gives vectors of {len(vectors[0])} numbers, "
                f"embeddings.dimension says {self._asked_dimension}. "
                "Set it to 0 or to the model's own.",
                code="dimension",
            )
        rows = np.asarray(vectors, dtype=np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(rows).all() or (norms == 0).any():
            raise ModelError(
                f"The embedding endpoint {self._base_url} gave a vector of zeros or of no numbers.", code="malformed"
            )
        return [row.tolist() for row in rows / norms]
