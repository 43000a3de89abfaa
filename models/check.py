"""Does each model that the settings name answer? One line each, with what is wrong and what to do about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel

from models.chat import get_chat_model
from models.embeddings import get_embeddings
from models.errors import ModelError
from models.rerankers import Reranker, get_reranker
from settings import Secrets, Settings

Role = Literal["embeddings", "chat", "rerank"]
_TEXT = "Glassbox asks whether this model answers."


@dataclass(frozen=True)
class Checked:
    """What became of a check. `status` is "off" for a role that no model has; `place` is empty for what runs on this machine."""

    role: Role
    status: Literal["ok", "failed", "off"]
    model: str = ""
    place: str = ""
    ms: int = 0
    reason: str = ""
    code: str = ""
    dimension: int = 0

    def as_json(self) -> dict[str, Any]:
        """The check as JSON values."""
        return asdict(self)


def check_models(settings: Settings, secrets: Secrets | None = None) -> list[Checked]:
    """Ask each model something small: the embedder, the chat model, and the reranker if it is switched on."""
    return [_embeddings(settings, secrets), _chat(settings, secrets), _rerank(settings, secrets)]


def _embeddings(settings: Settings, secrets: Secrets | None) -> Checked:
    chosen = settings.embeddings
    place = _place(chosen.base_url) if chosen.provider == "openai" else ""
    model = chosen.model or chosen.provider

    def ask() -> dict[str, Any]:
        embedder = get_embeddings(settings, secrets)
        return {"dimension": len(embedder.embed_query(_TEXT)), "model": embedder.model}

    return _asked("embeddings", model, place, ask)


def _chat(settings: Settings, secrets: Secrets | None) -> Checked:
    chosen = settings.llm
    if chosen.provider == "none":
        return Checked("chat", "off")

    def ask() -> dict[str, Any]:
        model: BaseChatModel | None = get_chat_model(settings, secrets)
        answer = model.invoke([("human", "Say OK.")]) if model else None
        if answer is None or not answer.text.strip():
            raise ModelError(
                f"{chosen.model} answered without a word. Raise llm.max_tokens if it thinks before it answers.", code="empty"
            )
        return {}

    return _asked("chat", chosen.model, _place(chosen.base_url), ask)


def _rerank(settings: Settings, secrets: Secrets | None) -> Checked:
    chosen = settings.retrieval.rerank
    if not chosen.enabled or chosen.provider == "maxsim":
        return Checked("rerank", "off")

    def ask() -> dict[str, Any]:
        model: Reranker | None = get_reranker(settings, secrets)
        assert model, "any provider but maxsim has one"
        model.scores("Does it answer?", [_TEXT])
        return {}

    return _asked("rerank", chosen.model, _place(chosen.base_url) if chosen.provider != "cross_encoder" else "", ask)


def _asked(role: Role, model: str, place: str, ask: Callable[[], dict[str, Any]]) -> Checked:
    begin = time.perf_counter()
    try:
        known = ask()
    except ModelError as error:
        return Checked(role, "failed", model, place, _since(begin), str(error), error.code)
    return Checked(role, "ok", **{"model": model, "place": place, "ms": _since(begin), **known})


def _since(begin: float) -> int:
    return round((time.perf_counter() - begin) * 1000)


def _place(base_url: str) -> str:
    from pydantic import SecretStr

    from models.endpoint import Endpoint  # half a second that a user without a remote model need not wait for

    return Endpoint("", "", base_url, SecretStr(""), 1.0).place
