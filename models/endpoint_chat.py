"""A chat model at an OpenAI-compatible endpoint: langchain-openai's, whose failures are ModelErrors and come in time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from typing import Any, Self, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field

from models.endpoint import Endpoint
from models.pace import Paced, limiter
from models.text import sendable
from models.usage import Call, Tokens, counted, current
from settings.models import ChatRole

_T = TypeVar("_T")


class EndpointChat(ChatOpenAI):
    """ChatOpenAI that raises ModelError only, and waits no longer than the endpoint's limit for the first and each next word.

    A call that fails before its first word is tried again (Endpoint.patiently); one that broke off in the middle is not. Each
    call counts in the model's `role` (models/usage.py).
    """

    endpoint: Endpoint = Field(exclude=True, repr=False)
    role: ChatRole = Field(default="answer", exclude=True)

    @classmethod
    def at(cls, endpoint: Endpoint, *, role: ChatRole = "answer", temperature: float, max_tokens: int, pace: float = 0.0) -> Self:
        """The model at that endpoint; `pace` are the calls that it gets in a minute, 0 for as many as are made."""
        waited = partial(_waited, role, endpoint)
        return cls(
            endpoint=endpoint,
            role=role,
            model=endpoint.model,
            base_url=endpoint.url,
            api_key=endpoint.key,
            temperature=temperature,
            max_completion_tokens=max_tokens,
            timeout=endpoint.timeout_seconds,
            stream_chunk_timeout=endpoint.timeout_seconds,
            max_retries=0,
            http_client=endpoint.http_client(),
            http_async_client=endpoint.async_http_client(),
            stream_usage=True,
            use_responses_api=None if endpoint.is_openai else False,  # else a model's name would decide, such as "codex"
            rate_limiter=Paced(limiter(endpoint.url, endpoint.model, pace), waited) if pace else None,
        )

    @property
    def identity(self) -> str:
        """Which model this is, for caches: address, name and settings; no key."""
        return f"{self.endpoint.place} {self.model_name} {self.temperature} {self.max_tokens}"

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """No: nothing of it, such as the key, is to stand in what LangChain writes down."""
        return False

    def _get_llm_string(self, stop: list[str] | None = None, **kwargs: Any) -> str:
        """What LangChain's caches know the model by; its own leaves out the address."""
        return f"{self.endpoint.place} {super()._get_llm_string(stop=stop, **kwargs)}"

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if "max_completion_tokens" in payload and not self.endpoint.is_openai:
            payload["max_tokens"] = payload.pop("max_completion_tokens")  # the name that every other server knows
        for message in payload.get("messages", []):
            if isinstance(message.get("content"), str):
                message["content"] = sendable(message["content"])
        return payload

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        generate = super()._generate
        with self._counted() as call:
            result = self._patiently(lambda: generate(*args, **kwargs))
            _take(result, call)
        return result

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        opened = super()._stream

        def begun() -> tuple[ChatGenerationChunk, Iterator[ChatGenerationChunk]]:
            chunks = opened(*args, **kwargs)
            first = next(chunks, None)
            if first is None:  # such as a web page, in which there are no events
                raise self.endpoint.malformed()
            return first, chunks

        with self._counted() as call:
            first, rest = self._patiently(begun)
            yield _taken(first, call)
            with self.endpoint.explained(midway=True):
                for chunk in rest:
                    yield _taken(chunk, call)

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with self._counted() as call:
            with self.endpoint.explained():
                result = await super()._agenerate(*args, **kwargs)
            _take(result, call)
        return result

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        with self._counted() as call, self.endpoint.explained():
            async for chunk in super()._astream(*args, **kwargs):
                yield _taken(chunk, call)

    def _counted(self) -> AbstractContextManager[Call]:
        return counted(self.role, self.model_name, self.endpoint.place)

    def _patiently(self, call: Callable[[], _T]) -> _T:
        """The result of a call; further attempts wait for their turn as the first one did, which LangChain sees to."""
        attempts = count()

        def attempt() -> _T:
            if next(attempts) and self.rate_limiter:
                self.rate_limiter.acquire()
            return call()

        return self.endpoint.patiently(attempt)


def _waited(role: ChatRole, endpoint: Endpoint, seconds: float) -> None:
    current().wait(role, endpoint.model, endpoint.place, seconds)


def _take(result: ChatResult, call: Call) -> None:
    for generation in result.generations:
        _make_sendable(generation.message)
        if isinstance(generation.message, AIMessage):
            call.tokens = Tokens.of(generation.message.usage_metadata) or call.tokens


def _taken(chunk: ChatGenerationChunk, call: Call) -> ChatGenerationChunk:
    _make_sendable(chunk.message)
    if isinstance(chunk.message, AIMessageChunk):
        call.tokens = Tokens.of(chunk.message.usage_metadata) or call.tokens
    return chunk


def _make_sendable(message: BaseMessage) -> None:
    """What a model writes is searched for, stored and sent on: a lone half of a surrogate pair would break each of these."""
    if isinstance(message.content, str):
        message.content = sendable(message.content)
