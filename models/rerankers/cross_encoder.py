"""Cross-encoders in this process, through sentence-transformers, an optional package of some gigabytes (it brings PyTorch)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from models.errors import ModelError
from models.rerankers.base import Reranker, finite
from models.text import sendable


class CrossEncoderReranker(Reranker):
    """A model by its name on Hugging Face or its folder, loaded at the first question and then kept.

    `CrossEncoder.predict` gives one number a pair (https://sbert.net/docs/package_reference/cross_encoder/model.html): between 0
    and 1 or a logit, as the model's own configuration says.
    """

    def __init__(self, model: str) -> None:
        self.name = f"cross_encoder/{model}"
        self._model_name = model
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text. Raises ModelError."""
        if not texts:
            return []
        with self._lock:
            found = self._predicted([(sendable(query), sendable(text)) for text in texts])
        try:
            numbers = [finite(score) for score in found]
        except ValueError as error:
            raise self._unusable(f"gave {error}") from error
        if len(numbers) != len(texts):
            raise self._unusable(f"gave {len(numbers)} scores for {len(texts)} texts")
        return numbers

    def _predicted(self, pairs: list[tuple[str, str]]) -> list[Any]:
        model = self._model
        try:
            return list(model.predict(pairs, show_progress_bar=False))
        except (RuntimeError, ValueError, TypeError, OSError) as error:  # PyTorch's: out of memory, a text that does not fit
            raise self._unusable(f"failed: {error}", code="failed") from error

    @cached_property
    def _model(self) -> Any:
        try:
            package = import_module("sentence_transformers")
        except ImportError as error:
            raise ModelError(
                "A cross-encoder needs the package sentence-transformers, which is not installed. Run `pip install "
                "sentence-transformers` in the app's environment, or take another retrieval.rerank.provider.",
                code="no_package",
            ) from error
        try:
            return package.CrossEncoder(self._model_name)
        except (OSError, ValueError, RuntimeError) as error:  # of huggingface_hub and PyTorch: no such model, no network
            raise self._unusable(f"cannot be loaded: {error}", code="unknown_model") from error

    def _unusable(self, what: str, *, code: str = "malformed") -> ModelError:
        said = " ".join(what.split())[:300]
        return ModelError(
            f"The cross-encoder {self._model_name!r} {said}. Check retrieval.rerank.model, a name or a folder.",
            code=code,
        )
