"""The chat model that writes answers: none, or any OpenAI-compatible endpoint through langchain-openai."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from models.tracing import trace_nowhere
from settings import Secrets, Settings


def get_chat_model(settings: Settings, secrets: Secrets | None = None) -> BaseChatModel | None:
    """The model that the settings ask for, or None when answers are to quote the documents. Its calls raise ModelError."""
    trace_nowhere()
    chosen = settings.llm
    if chosen.provider == "none":
        return None
    from models.endpoint import Endpoint  # half a second that a user without a model need not wait for
    from models.endpoint_chat import EndpointChat

    key = secrets.openai_api_key if secrets else None
    endpoint = Endpoint("chat", chosen.model, chosen.base_url, key or SecretStr("none"), chosen.timeout_seconds)
    return EndpointChat.at(endpoint, temperature=chosen.temperature, max_tokens=chosen.max_tokens)
