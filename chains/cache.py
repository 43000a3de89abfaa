"""Answers of chat models, kept on disk by all that the model was shown, so that the same question costs nothing the second time.

What is kept is what the model wrote; its citations, its refusal and all else that is made of it are made anew each time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import diskcache
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import ConfigDict, PrivateAttr

from chains.answer import Answer
from models.disk_cache import forgiven, open_cache
from models.identity import identity_of
from settings import Settings

SIZE_LIMIT = 64 * 2**20
"""Bytes; past it the answers written longest ago go first."""
_DAY = 24 * 60 * 60
_WHAT, _INSTEAD = "answers", "the model is asked again"


@dataclass(frozen=True)
class KeptAnswer:
    """What a model wrote, all of it, and when (ISO 8601, UTC)."""

    text: str
    at: str


class AnswerCache:
    """What models wrote, by model and messages; several processes may use one folder.

    It only saves time: when its folder cannot be read or written, there is nothing in it, and the log says why.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _disk(self) -> diskcache.Cache:
        return open_cache(self._folder, size_limit=SIZE_LIMIT)

    def get(self, key: str) -> KeptAnswer | None:
        """What is kept under a key, if anything is."""
        found: Any = None
        with forgiven(_WHAT, "read", instead=_INSTEAD):
            found = self._disk.get(key)
        try:
            return KeptAnswer(**json.loads(found)) if isinstance(found, str) else None
        except (ValueError, TypeError):  # written by another version
            return None

    def keep(self, key: str, text: str, *, days: float) -> None:
        """Keep what a model has written just now for so many days."""
        kept = {"text": text, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        with forgiven(_WHAT, "written", instead=_INSTEAD):
            self._disk.set(key, json.dumps(kept), expire=days * _DAY)

    def clear(self) -> int:
        """Forget all answers; returns how many there were."""
        count = 0
        with forgiven(_WHAT, "emptied", instead="try again when no other process uses it"):
            count = int(self._disk.clear())
        return count  # noqa: RET504 - what is forgiven leaves it at 0

    def __len__(self) -> int:
        count = 0
        with forgiven(_WHAT, "read", instead=_INSTEAD):
            count = len(self._disk) if self._folder.exists() else 0
        return count  # noqa: RET504 - what is forgiven leaves it at 0

    def close(self) -> None:
        """Let go of the files; they are opened again when they are needed."""
        if "_disk" in self.__dict__:
            self._disk.close()
            del self.__dict__["_disk"]


def open_answers(settings: Settings) -> AnswerCache:
    """The answers that are kept in the store's folder."""
    return AnswerCache(settings.store.dir / "cache" / "answers")


class RememberedChat(BaseChatModel):
    """A chat model for one answer: what it wrote for the same messages before is given again, unless asked `anew`.

    `settled` keeps what it has written now for `days`, if that became a whole answer.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    inner: BaseChatModel
    answers: AnswerCache
    days: float
    anew: bool = False
    _key: str = PrivateAttr(default="")
    _kept: KeptAnswer | None = PrivateAttr(default=None)
    _written: str = PrivateAttr(default="")

    @property
    def _llm_type(self) -> str:
        return "remembered"

    def settled(self, answer: Answer) -> Answer:
        """The answer that was made of the words; says when they were written, if that was not now.

        Words are kept when the model ended of itself and the answer is its own: not a failed or a stopped one.
        """
        if self._kept:
            return replace(answer, cached=self._kept.at)
        if self._written and answer.mode == "llm" and answer.error is None:
            self.answers.keep(self._key, self._written, days=self.days)
        return answer

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        self._key = key_of(self.inner, messages)
        self._kept = None if self.anew else self.answers.get(self._key)
        if self._kept:
            yield ChatGenerationChunk(
                message=AIMessageChunk(content=self._kept.text, response_metadata={"finish_reason": "stop"})
            )
            return
        written, complete = [], False
        for message in self.inner.stream(messages, stop=stop, **kwargs):
            written.append(message.text)
            complete = complete or _is_complete(message)
            yield ChatGenerationChunk(message=message)
        self._written = "".join(written) if complete else ""


def key_of(model: BaseChatModel, messages: Sequence[BaseMessage]) -> str:
    """What an answer is kept by: the model with its address and settings, and every word that it is shown.

    The prompt, the passages, the history and the question are all in the messages, and so is whatever a setting changes of them.
    """
    shown = [[message.type, message.content] for message in messages]
    return hashlib.sha256(json.dumps([identity_of(model), shown]).encode()).hexdigest()


def _is_complete(message: BaseMessage) -> bool:
    told = message.response_metadata
    return told.get("finish_reason") == "stop" or told.get("status") == "completed"
