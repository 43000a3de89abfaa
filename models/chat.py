"""The chat models by role: none, or any OpenAI-compatible endpoint through langchain-openai."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from models.tracing import trace_nowhere
from settings import Secrets, Settings
from settings.models import ChatRole

if TYPE_CHECKING:
    from models.endpoint import Endpoint

NO_KEY = SecretStr("none")
"""Sent where there is no key: the client insists on one, and servers that need none take any."""


@dataclass(frozen=True)
class ChatModels:
    """The chat models that a question may need, None where there is none; most often they are the same model."""

    answer: BaseChatModel | None = None
    rewrite: BaseChatModel | None = None
    judge: BaseChatModel | None = None

    @classmethod
    def same(cls, model: BaseChatModel | None) -> ChatModels:
        """One model for every role."""
        return cls(model, model, model)


def get_chat_models(settings: Settings, secrets: Secrets | None = None) -> ChatModels:
    """The models for a question by role. Their calls raise ModelError."""
    answer, rewrite, judge = (get_chat_model(settings, secrets, role=role) for role in ("answer", "rewrite", "judge"))
    return ChatModels(answer, rewrite, judge)


def get_chat_model(settings: Settings, secrets: Secrets | None = None, *, role: ChatRole = "answer") -> BaseChatModel | None:
    """The model that the settings ask for in a role, or None: then answers quote the documents, and the layers work without one.

    Its calls raise ModelError, and count in that role (models/usage.py).
    """
    trace_nowhere()
    chosen = settings.llm.of(role)
    if chosen.provider == "none":
        return None
    from models.endpoint import Endpoint  # half a second that a user without a model need not wait for
    from models.endpoint_chat import EndpointChat

    variable = "OPENAI_API_KEY" if role == "answer" else f"{role.upper()}_API_KEY"
    endpoint = Endpoint("chat", chosen.model, chosen.base_url, NO_KEY, chosen.timeout_seconds, variable)
    endpoint = endpoint.with_key(_key(settings, secrets or Secrets(), role, endpoint))
    pace = chosen.calls_per_minute
    return EndpointChat.at(endpoint, role=role, temperature=chosen.temperature, max_tokens=chosen.max_tokens, pace=pace)


def _key(settings: Settings, secrets: Secrets, role: ChatRole, endpoint: Endpoint) -> SecretStr:
    """The role's own key, or that of the answers at the same address: no other server is to see it."""
    own = {"rewrite": secrets.rewrite_api_key, "judge": secrets.judge_api_key, "vision": secrets.vision_api_key}.get(role)
    if own:
        return own
    shared = secrets.openai_api_key if endpoint.is_at(settings.llm.base_url) else None
    return shared or NO_KEY
