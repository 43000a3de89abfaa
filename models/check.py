"""Does each model that the settings name answer? One line each, with what is wrong and what to do about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from models.chat import get_chat_model
from models.embeddings import LOCAL_MODEL, get_embeddings
from models.errors import ModelError
from models.rerankers import COHERE_URL, Reranker, get_reranker
from settings import Secrets, Settings
from settings.models import OWN_ROLES, ChatRole

Role = Literal["embeddings", "chat", "rewrite", "judge", "vision", "rerank"]
ROLES: tuple[Role, ...] = get_args(Role)
"""All roles, in the order in which they are shown. "chat" writes the answers, and does what no model of its own is set for."""
_CHAT_ROLES: dict[Role, ChatRole] = {"chat": "answer", "rewrite": "rewrite", "judge": "judge", "vision": "vision"}
_TEXT = "Glassbox asks whether this model answers."
_PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAAAAABWESUoAAAAFklEQVR42mP4"
    "TwAwjCoYVTCqYKQqAAA/aPwuqUTQyAAAAABJRU5ErkJggg=="
)
"""A white square; a model for pictures is to see one, as many servers refuse pictures only when one comes."""


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
    """Ask each model something small: the embedder, the chat models of the roles that have one, the reranker if it is on."""
    checks: dict[Role, Callable[[], Checked]] = {
        "embeddings": lambda: _embeddings(settings, secrets),
        "rerank": lambda: _rerank(settings, secrets),
    }
    return [checks[role]() if role in checks else _chat(role, settings, secrets) for role in places(settings)]


def places(settings: Settings) -> dict[Role, tuple[str, str]]:
    """(model, address) of each role: the model "" where there is none, the address "" for what runs in this process.

    Of the roles of chat models, those that have the model of the answers are left out.
    """
    embeddings, rerank = settings.embeddings, settings.retrieval.rerank
    asked = rerank.enabled and rerank.provider != "maxsim"
    own = [role for role in OWN_ROLES if settings.llm.of(role) != settings.llm.of("answer")]
    return {
        "embeddings": (LOCAL_MODEL, "") if embeddings.provider == "local" else (embeddings.model, _place(embeddings.base_url)),
        "chat": _chat_place(settings, "answer"),
        **{role: _chat_place(settings, role) for role in own},
        "rerank": (rerank.model, _rerank_place(settings)) if asked else ("", ""),
    }


def _chat_place(settings: Settings, role: ChatRole) -> tuple[str, str]:
    chosen = settings.llm.of(role)
    return ("", "") if chosen.provider == "none" else (chosen.model, _place(chosen.base_url))


def _rerank_place(settings: Settings) -> str:
    chosen = settings.retrieval.rerank
    if chosen.provider == "cross_encoder":
        return ""
    return _place(chosen.base_url) if chosen.base_url else COHERE_URL


def _embeddings(settings: Settings, secrets: Secrets | None) -> Checked:
    model, place = places(settings)["embeddings"]

    def ask() -> dict[str, Any]:
        embedder = get_embeddings(settings, secrets)
        return {"dimension": len(embedder.embed_query(_TEXT)), "model": embedder.model}

    return _asked("embeddings", model, place, ask)


def _chat(role: Role, settings: Settings, secrets: Secrets | None) -> Checked:
    model, place = places(settings)[role]
    if not model:
        return Checked(role, "off")

    def ask() -> dict[str, Any]:
        asked: BaseChatModel | None = get_chat_model(settings, secrets, role=_CHAT_ROLES[role])
        answer = asked.invoke([_small_talk(role)]) if asked else None
        if answer is None or not answer.text.strip():
            raise ModelError(
                f"{model} answered without a word. Raise llm.max_tokens if it thinks before it answers.",
                code="wrote_nothing",
            )
        return {}

    return _asked(role, model, place, ask)


def _small_talk(role: Role) -> HumanMessage:
    if role != "vision":
        return HumanMessage("Say OK.")
    return HumanMessage([{"type": "text", "text": "Say OK."}, {"type": "image_url", "image_url": {"url": _PICTURE}}])


def _rerank(settings: Settings, secrets: Secrets | None) -> Checked:
    if places(settings)["rerank"] == ("", ""):
        return Checked("rerank", "off")

    def ask() -> dict[str, Any]:
        model: Reranker | None = get_reranker(settings, secrets)
        assert model, "any provider but maxsim has one"
        model.scores("Does it answer?", [_TEXT])
        return {}

    return _asked("rerank", *places(settings)["rerank"], ask)


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
    from models.endpoint import OPENAI_URL, place_of  # half a second that a user without a remote model need not wait for

    return place_of(base_url or OPENAI_URL)
