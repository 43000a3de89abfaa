"""Which model wrote something, as caches know it: another address, model or setting is another model."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel


def identity_of(model: BaseChatModel) -> str:
    """The model with its address and settings; without a key. Of a model that does not tell, all that LangChain knows of it."""
    told = getattr(model, "identity", None)
    return told if isinstance(told, str) else f"{type(model).__qualname__}({model})"
