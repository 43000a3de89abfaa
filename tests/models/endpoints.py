"""Models at a local test server, built as the app builds them."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel

from models import get_chat_model, get_embeddings
from models.base import GlassboxEmbeddings
from settings import load_secrets, load_settings
from tests.servers import ModelServer

KEY = "sk-test-0123456789"
SECRETS = load_secrets({"OPENAI_API_KEY": KEY})


def chat_at(server: ModelServer, **changes: Any) -> BaseChatModel:
    chosen = {"provider": "openai", "model": "talker", "base_url": server.base_url, "timeout_seconds": 5} | changes
    model = get_chat_model(load_settings({f"llm.{name}": value for name, value in chosen.items()}, env={}), SECRETS)
    assert model is not None
    return model


def embeddings_at(server: ModelServer, **changes: Any) -> GlassboxEmbeddings:
    chosen = {"provider": "openai", "model": "embedder", "base_url": server.base_url, "timeout_seconds": 5} | changes
    return get_embeddings(load_settings({f"embeddings.{name}": value for name, value in chosen.items()}, env={}), SECRETS)
