"""Every setting of the app as frozen, typed values; config.yaml repeats the defaults with a comment each (a test compares them).

Sizes are in characters of Latin text; a Chinese, Japanese or Korean character counts as 2.5, as it carries about that much more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from settings.grounding import GroundingSettings
from settings.section import Section, Share


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


class AnswerCacheSettings(Section):
    """Answers of a chat model are kept for `days`, and given again when the model would be shown the very same."""

    enabled: bool = True
    days: Annotated[float, Field(ge=0.01, le=3650)] = 30.0


class AnswerSettings(Section):
    """How the answer is put together."""

    max_quotes: Annotated[int, Field(ge=1, le=10)] = 2
    quote_margin: Share = 0.08
    max_context_chars: Annotated[int, Field(ge=500, le=200_000)] = 12_000
    grounding: GroundingSettings = GroundingSettings()
    cache: AnswerCacheSettings = AnswerCacheSettings()


class ConversationSettings(Section):
    """What a question takes from those before it, and how much is done for it (chains/routing)."""

    standalone: bool = True
    route: Literal["auto", "none", "simple", "medium", "complex"] = "auto"
    route_by: Literal["rules", "model"] = "rules"


class UiSettings(Section):
    """The page."""

    language: Literal["auto", "en", "zh"] = "auto"


class Secrets(BaseModel):
    """Keys: from the environment or .env only; never printed, logged or stored."""

    model_config = ConfigDict(frozen=True)

    openai_api_key: SecretStr | None = None
    embeddings_api_key: SecretStr | None = None
    rewrite_api_key: SecretStr | None = None
    judge_api_key: SecretStr | None = None
    vision_api_key: SecretStr | None = None
    cohere_api_key: SecretStr | None = None
    rerank_api_key: SecretStr | None = None
