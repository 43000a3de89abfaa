"""Calling the model within a bound: how much one run may ask for, and what came of each call."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from ingest.enrich.kinds import Ask, Kind
from ingest.errors import Reason
from models import ModelError
from settings.enrich import EnrichSettings

HOPELESS = frozenset({"key_refused", "unknown_model", "no_credit", "unreachable"})
"""Failures that every further call would end in as well."""
MOST_FAILURES = 5
"""So many failures one after the other end the run."""


@dataclass(frozen=True)
class Answer:
    """What came of a call: a value, or an error; and the tokens it took, as the endpoint says or else about."""

    ask: Ask
    value: Any = None
    error: ModelError | None = None
    tokens: int = 0


class Budget:
    """What a run has asked of the model, and whether one more call may be made. `stopped` says why none may, in English."""

    def __init__(self, chosen: EnrichSettings) -> None:
        self._most_calls, self._most_tokens = chosen.max_calls, chosen.max_tokens
        self._failures = 0
        self.calls = self.tokens = 0
        self.stopped: Reason | None = None

    def admitted(self, asks: Sequence[Ask]) -> list[Ask]:
        """The first of these calls that stay within the bounds; they count as made. When one does not, the run is over."""
        found: list[Ask] = []
        expected = 0
        for ask in asks:
            expected += ask.tokens + ask.expected
            if self.stopped is None and self.calls >= self._most_calls:
                most = self._most_calls
                self.stop(Reason(f"The limit of {most} calls (ingest.enrich.max_calls) is reached.", "most_calls", count=most))
            if self.stopped is None and self.tokens + expected > self._most_tokens:
                most = self._most_tokens
                self.stop(Reason(f"The limit of {most} tokens (ingest.enrich.max_tokens) is reached.", "most_tokens", count=most))
            if self.stopped is not None:
                break
            self.calls += 1
            found.append(ask)
        return found

    def stop(self, why: Reason) -> None:
        """Let no more calls be made; the first reason counts."""
        self.stopped = self.stopped or why

    def count(self, answer: Answer) -> None:
        """Take in what a call has come to."""
        self.tokens += answer.tokens
        self._failures = self._failures + 1 if answer.error else 0
        if answer.error and (answer.error.code in HOPELESS or self._failures >= MOST_FAILURES):
            self.stop(Reason(str(answer.error), answer.error.code, message=str(answer.error)))


def ask_model(model: BaseChatModel, kind: Kind, ask: Ask) -> Answer:
    """Call the model; a failure, of the call or of what it wrote, is part of the answer."""
    try:
        message = model.invoke([SystemMessage(ask.told), _request(ask)])
    except ModelError as error:
        return Answer(ask, error=error, tokens=ask.tokens)
    written = str(message.text)
    used = message.usage_metadata["total_tokens"] if message.usage_metadata else 0
    reason = message.response_metadata.get("finish_reason")
    try:
        if reason == "content_filter":
            raise ModelError("The language model's own filter cut the answer off.", code="content_filter")
        return Answer(ask, value=kind.read(written, cut=reason == "length"), tokens=used or ask.tokens + ask.expected)
    except ModelError as error:
        return Answer(ask, error=error, tokens=used or ask.tokens)


def _request(ask: Ask) -> HumanMessage:
    """The request, with the picture that it is about."""
    if ask.picture is None:
        return HumanMessage(ask.asked)
    address = f"data:{ask.picture.mime};base64,{b64encode(ask.picture.data).decode('ascii')}"
    return HumanMessage([{"type": "text", "text": ask.asked}, {"type": "image_url", "image_url": {"url": address}}])
