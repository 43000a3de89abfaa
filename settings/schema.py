"""Every setting of the app as frozen, typed values; config.yaml repeats the defaults with a comment each (a test compares them).

Sizes are in characters of Latin text; a Chinese, Japanese or Korean character counts as 2.5, as it carries about that much more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from settings.section import Seconds, Section, Share


class StoreSettings(Section):
    """Where documents, indexes and conversations are kept."""

    dir: Path = Path("data")
    refresh_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    vector_index_from: Annotated[int, Field(ge=256, le=10_000_000)] = 50_000

    @field_validator("dir", mode="before")
    @classmethod
    def _names_a_folder(cls, value: Any) -> Path:
        if not str(value).strip():
            raise ValueError("must name a folder")
        return Path(value).expanduser()


class _EndpointSettings(Section):
    """A model behind an OpenAI-compatible endpoint, when `provider` is openai."""

    provider: str
    base_url: str = ""
    model: str = ""
    timeout_seconds: Seconds = 60.0

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            known = not value or (parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0)
        except ValueError:
            known = False
        if not known:
            raise ValueError("must be empty or an address such as http://127.0.0.1:11434/v1")
        return value

    @model_validator(mode="after")
    def _names_a_model(self) -> Self:
        if self.provider == "openai" and not self.model:
            raise ValueError("with provider 'openai', model must be set as well")
        return self


class EmbeddingsSettings(_EndpointSettings):
    """Which model turns text into vectors. `dimension` 0 means: ask the model once."""

    provider: Literal["local", "openai"] = "local"
    dimension: Annotated[int, Field(ge=0, le=8192)] = 0
    batch_size: Annotated[int, Field(ge=1, le=512)] = 8


class LlmSettings(_EndpointSettings):
    """Which chat model writes the answers; with `none` the answer quotes the documents."""

    provider: Literal["none", "openai"] = "none"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Field(ge=1, le=32768)] = 1024


class AnswerSettings(Section):
    """How the answer is put together."""

    max_quotes: Annotated[int, Field(ge=1, le=10)] = 2
    quote_margin: Share = 0.08
    max_context_chars: Annotated[int, Field(ge=500, le=200_000)] = 12_000


class ConversationSettings(Section):
    """What a question takes from those before it."""

    standalone: bool = True


class UiSettings(Section):
    """The page."""

    language: Literal["auto", "en", "zh"] = "auto"


class Secrets(BaseModel):
    """Keys: from the environment or .env only; never printed, logged or stored."""

    model_config = ConfigDict(frozen=True)

    openai_api_key: SecretStr | None = None
    embeddings_api_key: SecretStr | None = None
    cohere_api_key: SecretStr | None = None
    rerank_api_key: SecretStr | None = None
