"""The chat model that writes answers: none, or any OpenAI-compatible endpoint through langchain-openai."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

from settings import Secrets, Settings


def get_chat_model(settings: Settings, secrets: Secrets | None = None) -> BaseChatModel | None:
    """The model that the settings ask for, or None when answers are to quote the documents."""
    chosen = settings.llm
    if chosen.provider == "none":
        return None
    from langchain_openai import ChatOpenAI  # half a second that a user without a model need not wait for

    key = secrets.openai_api_key if secrets else None
    return ChatOpenAI(
        model=chosen.model,
        base_url=chosen.base_url or None,
        api_key=(lambda: key.get_secret_value() if key else "none"),
        temperature=chosen.temperature,
        max_completion_tokens=chosen.max_tokens,
        timeout=chosen.timeout_seconds,
        max_retries=2,
        stream_usage=True,
    )
