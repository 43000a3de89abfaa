"""A chat model at an OpenAI-compatible endpoint: langchain-openai's, whose failures are ModelErrors and come in time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field

from models.endpoint import Endpoint
from models.text import sendable


class EndpointChat(ChatOpenAI):
    """ChatOpenAI that raises ModelError only, and waits no longer than the endpoint's limit for the first and each next word.

    A call that fails before its first word is tried again (Endpoint.patiently); one that broke off in the middle is not.
    """

    endpoint: Endpoint = Field(exclude=True, repr=False)

    @classmethod
    def at(cls, endpoint: Endpoint, *, temperature: float, max_tokens: int) -> Self:
        """The model at that endpoint."""
        return cls(
            endpoint=endpoint,
            model=endpoint.model,
            base_url=endpoint.url,
            api_key=endpoint.key,
            temperature=temperature,
            max_completion_tokens=max_tokens,
            timeout=endpoint.timeout_seconds,
            stream_chunk_timeout=endpoint.timeout_seconds,
            max_retries=0,
            http_client=endpoint.http_client(),
            stream_usage=True,
            use_responses_api=None if endpoint.is_openai else False,  # else a model's name would decide, such as "codex"
        )

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """No: nothing of it, such as the key, is to stand in what LangChain writes down."""
        return False

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
        result = self.endpoint.patiently(lambda: generate(*args, **kwargs))
        for generation in result.generations:
            _make_sendable(generation.message)
        return result

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        opened = super()._stream

        def begun() -> tuple[ChatGenerationChunk, Iterator[ChatGenerationChunk]]:
            chunks = opened(*args, **kwargs)
            first = next(chunks, None)
            if first is None:  # such as a web page, in which there are no events
                raise self.endpoint.malformed()
            return first, chunks

        first, rest = self.endpoint.patiently(begun)
        _make_sendable(first.message)
        yield first
        with self.endpoint.explained(midway=True):
            for chunk in rest:
                _make_sendable(chunk.message)
                yield chunk

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with self.endpoint.explained():
            result = await super()._agenerate(*args, **kwargs)
        for generation in result.generations:
            _make_sendable(generation.message)
        return result

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        with self.endpoint.explained():
            async for chunk in super()._astream(*args, **kwargs):
                _make_sendable(chunk.message)
                yield chunk


def _make_sendable(message: BaseMessage) -> None:
    """What a model writes is searched for, stored and sent on: a lone half of a surrogate pair would break each of these."""
    if isinstance(message.content, str):
        message.content = sendable(message.content)
