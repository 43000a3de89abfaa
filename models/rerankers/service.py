"""A reranking service: the patience and the errors of models/endpoint.py, with remedies that fit a reranker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import httpx2
import openai

from models.endpoint import Endpoint
from models.errors import ModelError

_TIMEOUTS = (httpx.TimeoutException, httpx2.TimeoutException)
_FAILURES = (httpx.HTTPError, httpx.InvalidURL, httpx2.HTTPError, httpx2.InvalidURL)
"""Of both HTTP clients: Cohere's is httpx, that of models/endpoint.py httpx2."""


@dataclass(frozen=True)
class RerankService(Endpoint):
    """Where a reranker is and how to call it; its key comes from the environment's `variable`."""

    variable: str = "RERANK_API_KEY"

    @contextmanager
    def explained(self, *, midway: bool = False) -> Iterator[None]:
        """Turn what an HTTP client raises inside into ModelError."""
        try:
            with super().explained(midway=midway), self._as_openai():
                yield
        except ModelError as error:
            remedy = self._remedies().get(error.code)
            if remedy is None:
                raise
            raise ModelError(remedy, code=error.code) from error

    def malformed(self, what: str = "something else than scores") -> ModelError:
        """The error for an answer that cannot be used, `what` says why."""
        return ModelError(
            f"{self.place} gave {what} for the rerank model {self.model!r}. Check retrieval.rerank.base_url, or take another "
            "model or server.",
            code="malformed",
        )

    def refusal(self, status: int, headers: Mapping[str, str], body: Any) -> openai.APIStatusError:
        """A response with a failing status, as the openai client would raise it: models/openai_errors.py explains it."""
        response = httpx2.Response(status, headers=dict(headers), request=self._request)
        return openai.APIStatusError("", response=response, body=_message(body))

    @property
    def _request(self) -> httpx2.Request:
        return httpx2.Request("POST", "http://rerank.invalid")  # openai's errors want one; the message names the real place

    @contextmanager
    def _as_openai(self) -> Iterator[None]:
        try:
            yield
        except _TIMEOUTS as error:
            raise openai.APITimeoutError(request=self._request) from error
        except _FAILURES as error:
            raise openai.APIConnectionError(request=self._request) from error

    def _remedies(self) -> dict[str, str]:
        return {
            "key_refused": f"{self.place} refused the key for the rerank model. Set {self.variable} in the environment or .env.",
            "context_overflow": f"A passage is longer than the rerank model at {self.place} takes. Lower ingest.chunk_size and "
            "index again, or take another model.",
        }


def _message(body: Any) -> dict[str, Any]:
    """{"message", "code"} of an error as OpenAI, Cohere, FastAPI and TEI write it; a page of HTML has none."""
    if isinstance(body, str):
        return {} if body.lstrip().startswith("<") else {"message": body}
    if not isinstance(body, Mapping):
        return {}
    said = body.get("error", body.get("detail", body))
    return dict(said) if isinstance(said, Mapping) else {"message": str(said)}
