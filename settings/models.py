"""Which models are called: the embedder, the chat models by role, and what their calls cost."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator
from pydantic_settings import NoDecode

from settings.section import Seconds, Section

ChatRole = Literal["answer", "rewrite", "judge", "vision"]
"""What a chat model is asked for: answers; new words for questions and passages, and choices among them; verdicts; pictures."""
OWN_ROLES: tuple[Literal["rewrite", "judge", "vision"], ...] = ("rewrite", "judge", "vision")
"""The roles that can have another model than the answers."""


def _is_an_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        known = not value or (parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0)
    except ValueError:
        known = False
    if not known:
        raise ValueError("must be empty or an address such as http://127.0.0.1:11434/v1")
    return value


Address = Annotated[str, AfterValidator(_is_an_address)]


class EndpointSettings(Section):
    """A model behind an OpenAI-compatible endpoint, when `provider` is openai."""

    provider: str
    base_url: Address = ""
    model: str = ""
    timeout_seconds: Seconds = 60.0

    @model_validator(mode="after")
    def _names_a_model(self) -> Self:
        if self.provider == "openai" and not self.model:
            raise ValueError("with provider 'openai', model must be set as well")
        return self


class EmbeddingsSettings(EndpointSettings):
    """Which model turns text into vectors. `dimension` 0 means: ask the model once."""

    provider: Literal["local", "openai"] = "local"
    dimension: Annotated[int, Field(ge=0, le=8192)] = 0
    batch_size: Annotated[int, Field(ge=1, le=512)] = 8


class RoleSettings(Section):
    """The chat model of a role other than the answers: the `same`, but for what is set here; none; or one of its own."""

    provider: Literal["same", "none", "openai"] = "same"
    base_url: Address = ""
    model: str = ""


class LlmSettings(EndpointSettings):
    """Which chat model writes the answers; with `none` the answer quotes the documents. `of` gives the model of another role."""

    provider: Literal["none", "openai"] = "none"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Field(ge=1, le=32768)] = 1024
    calls_per_minute: Annotated[float, Field(ge=0, le=6000)] = 0.0
    rewrite: RoleSettings = RoleSettings()
    judge: RoleSettings = RoleSettings()
    vision: RoleSettings = RoleSettings()

    def of(self, role: ChatRole) -> LlmSettings:
        """The settings of a role's model, as if it were the only one."""
        alone = self.model_copy(update=dict.fromkeys(OWN_ROLES, RoleSettings()))
        if role == "answer":
            return alone
        own: RoleSettings = getattr(self, role)
        if own.provider == "same":
            return alone.model_copy(update={name: value for name in ("base_url", "model") if (value := getattr(own, name))})
        return alone.model_copy(update={"provider": own.provider, "base_url": own.base_url, "model": own.model})

    @model_validator(mode="after")
    def _roles_are_whole(self) -> Self:
        for role in OWN_ROLES:
            own: RoleSettings = getattr(self, role)
            if own.provider == "openai" and not own.model:
                raise ValueError(f"with {role}.provider 'openai', {role}.model must be set as well")
            if own.provider == "same" and self.provider == "none" and (own.model or own.base_url):
                raise ValueError(f"{role} has a model of its own, so {role}.provider must be 'openai' where provider is 'none'")
        return self


PerMillion = Annotated[float, Field(ge=0, le=1_000_000)]


class Price(Section):
    """What a million tokens of a model cost, read and written; `cached_input` of those that the server had read before."""

    model: Annotated[str, Field(min_length=1)]
    input: PerMillion
    output: PerMillion
    cached_input: PerMillion | None = None


class PricesSettings(Section):
    """Prices by the name of the model. What has none is counted in tokens alone."""

    currency: Annotated[str, Field(min_length=1, max_length=8)] = "USD"
    models: Annotated[tuple[Price, ...], NoDecode] = ()

    @field_validator("models", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        """JSON, as --set and environment variables hand it over."""
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError as error:
            raise ValueError('must be a list such as [{"model": "m", "input": 0.15, "output": 0.6}]') from error

    @model_validator(mode="after")
    def _one_price_each(self) -> Self:
        names = [price.model for price in self.models]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two prices for {', '.join(twice)}")
        return self

    def of(self, model: str) -> Price | None:
        """The price of a model, if it has one."""
        return next((price for price in self.models if price.model == model), None)
