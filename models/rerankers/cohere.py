"""Cohere's rerankers, through its client (https://docs.cohere.com/reference/rerank); other servers of its API by base_url."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import httpx

from models import redirects
from models.errors import ModelError
from models.rerankers.base import Reranker, in_order
from models.rerankers.service import RerankService
from models.text import sendable
from models.usage import counted


class CohereReranker(Reranker):
    """Scores between 0 and 1. The key is needed."""

    def __init__(self, service: RerankService) -> None:
        self.name = f"cohere/{service.place}/{service.model}"
        self._service = service

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text. Raises ModelError."""
        if not self._service.key.get_secret_value():
            raise ModelError(
                f"Cohere's reranker at {self._service.place} needs a key. Set {self._service.variable} in the environment or "
                ".env, or take another retrieval.rerank.provider.",
                code="no_key",
            )
        if not texts:
            return []
        clean = [sendable(text) or " " for text in texts]
        with counted("rerank", self._service.model, self._service.place):
            rows = self._service.patiently(lambda: self._rows(sendable(query) or " ", clean))
        try:
            return in_order(rows, len(texts))
        except ValueError as error:
            raise self._service.malformed(str(error)) from error

    def _rows(self, query: str, texts: list[str]) -> list[tuple[Any, Any]]:
        """(index, score) of each text. A client a call, as it holds connections that only `with` closes."""
        import cohere
        from cohere.core.api_error import ApiError

        try:
            with cohere.ClientV2(
                api_key=self._service.key.get_secret_value(),
                base_url=re.sub(r"/(v[12]/?)?$", "", self._service.url),  # the client adds /v2 itself
                httpx_client=httpx.Client(
                    timeout=self._service.timeout_seconds, follow_redirects=True, event_hooks={"response": [redirects.check]}
                ),
                max_retries=0,  # its own waits up to a minute; the service tries again within our time limit
            ) as client:
                answer = client.rerank(model=self._service.model, query=query, documents=texts, top_n=len(texts))
        except ApiError as error:
            if error.status_code is None or error.status_code < 400:
                raise self._service.malformed("an answer that is no JSON") from error
            raise self._service.refusal(error.status_code, error.headers or {}, error.body) from error
        return [(row.index, row.relevance_score) for row in answer.results]
