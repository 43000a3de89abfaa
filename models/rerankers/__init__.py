"""Rerankers: a model reads question and passage together and scores the pair. One file a provider, one factory."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from models.cache import VectorCache
from models.rerankers.base import Reranker
from models.rerankers.cached import CachedReranker
from models.tracing import trace_nowhere
from settings import Secrets, Settings

COHERE_URL = "https://api.cohere.com"


def get_reranker(settings: Settings, secrets: Secrets | None = None, *, cache: Path | None = None) -> Reranker | None:
    """The reranker that the settings ask for; None for maxsim, which needs no model. With `cache`, scores are kept there.

    Nothing is loaded or called here: what is missing, such as a key or a package, is a ModelError when texts are scored.
    """
    trace_nowhere()
    chosen = settings.retrieval.rerank
    if chosen.provider == "maxsim":
        return None
    inner: Reranker
    if chosen.provider == "cross_encoder":
        from models.rerankers.cross_encoder import CrossEncoderReranker

        inner = CrossEncoderReranker(chosen.model)
    else:
        inner = _remote(settings, secrets or Secrets())
    return CachedReranker(inner, VectorCache(cache)) if cache else inner


def _remote(settings: Settings, secrets: Secrets) -> Reranker:
    from models.rerankers.service import RerankService  # seconds of imports that other rerankers need not wait for

    chosen = settings.retrieval.rerank
    none, cohere = SecretStr(""), chosen.provider == "cohere"
    service = RerankService(
        what="rerank",
        model=chosen.model,
        base_url=chosen.base_url or COHERE_URL,
        key=(secrets.cohere_api_key if cohere else secrets.rerank_api_key) or none,
        timeout_seconds=chosen.timeout_seconds,
        variable="COHERE_API_KEY" if cohere else "RERANK_API_KEY",
    )
    if cohere:
        from models.rerankers.cohere import CohereReranker

        return CohereReranker(service)
    from models.rerankers.endpoint import EndpointReranker

    return EndpointReranker(service)


__all__ = ["CachedReranker", "Reranker", "get_reranker"]
