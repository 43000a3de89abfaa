"""Settings from config.yaml, the environment and overrides, the later over the earlier, as one frozen object."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from dotenv import dotenv_values
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.sources import EnvSettingsSource

from settings.errors import SettingsError
from settings.ingest import IngestSettings
from settings.models import EmbeddingsSettings, LlmSettings, PricesSettings
from settings.retrieval import RetrievalSettings
from settings.schema import (
    AnswerSettings,
    ConversationSettings,
    Secrets,
    StoreSettings,
    UiSettings,
)
from settings.sources import SourcesSettings
from settings.view import ViewSettings

PREFIX = "GLASSBOX_"
CONFIG_VARIABLE = "GLASSBOX_CONFIG"
_S = TypeVar("_S", bound="Settings")


class Settings(BaseSettings):
    """All settings of the app. Build it with `load_settings`; change it with `override`, which gives a new, checked object."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    store: StoreSettings = StoreSettings()
    embeddings: EmbeddingsSettings = EmbeddingsSettings()
    llm: LlmSettings = LlmSettings()
    prices: PricesSettings = PricesSettings()
    ingest: IngestSettings = IngestSettings()
    sources: SourcesSettings = SourcesSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    answer: AnswerSettings = AnswerSettings()
    conversation: ConversationSettings = ConversationSettings()
    view: ViewSettings = ViewSettings()
    ui: UiSettings = UiSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load_settings` hands over: it has merged the sources itself."""
        return (init_settings,)

    def override(self, changes: Mapping[str, Any]) -> Self:
        """The same settings with some keys changed, such as {"retrieval.top_k": 3}. Raises SettingsError."""
        return _checked(type(self), _merge(self.model_dump(), _nest(changes))) if changes else self

    def flat(self) -> dict[str, Any]:
        """Every setting by its dotted name, as JSON values."""
        return dict(_flattened(self.model_dump(mode="json")))


class _Environment(EnvSettingsSource):
    """pydantic-settings' reading of GLASSBOX_SECTION__KEY, from a given mapping instead of the process's."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = {name.lower(): value for name, value in variables.items()}
        super().__init__(Settings, case_sensitive=False, env_prefix=PREFIX, env_nested_delimiter="__")

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return dict(self._variables)


def environment(folder: Path = Path()) -> dict[str, str]:
    """The process's variables over those of `folder`/.env."""
    return {name: value for name, value in dotenv_values(folder / ".env").items() if value is not None} | dict(os.environ)


def load_settings(
    overrides: Iterable[str] | Mapping[str, Any] = (), *, path: Path | None = None, env: Mapping[str, str] | None = None
) -> Settings:
    """Settings from the file, the environment (GLASSBOX_SECTION__KEY) and `overrides` ("section.key=value"), in rising order.

    The file is `path`, else GLASSBOX_CONFIG, else config.yaml; a missing config.yaml means the defaults, a missing file that was
    asked for is an error. Raises SettingsError, which names the key, the value and what is allowed.
    """
    variables = environment() if env is None else env
    from_environment = {n: v for n, v in variables.items() if n.upper().startswith(PREFIX) and n.upper() != CONFIG_VARIABLE}
    _refuse_unknown_variables(from_environment)
    changes = overrides if isinstance(overrides, Mapping) else dict(_assignment(text) for text in overrides)
    values = _read_file(path, variables)
    values = _merge(values, _Environment(from_environment)())
    return _checked(Settings, _merge(values, _nest(changes)))


def load_secrets(env: Mapping[str, str] | None = None) -> Secrets:
    """The keys of the environment or .env: OPENAI_API_KEY and so on, named as the fields of Secrets are."""
    variables = environment() if env is None else env
    return Secrets(**{name: SecretStr(variables[name.upper()]) for name in Secrets.model_fields if variables.get(name.upper())})


def _read_file(path: Path | None, variables: Mapping[str, str]) -> dict[str, Any]:
    asked_for = path or (Path(variables[CONFIG_VARIABLE]) if variables.get(CONFIG_VARIABLE) else None)
    file = asked_for or Path("config.yaml")
    if not file.exists():
        if asked_for:
            raise SettingsError(
                f"The configuration file {file} does not exist. Correct GLASSBOX_CONFIG, or remove it to use config.yaml."
            )
        return {}
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8-sig")) or {}
    except OSError as error:
        raise SettingsError(f"The configuration file {file} cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:  # "!!bool x" is a KeyError in it
        raise SettingsError(f"{file} is not valid YAML: {error}") from error
    if not isinstance(values, dict):
        raise SettingsError(f"{file} must hold sections with keys, such as 'retrieval:' and below it '  top_k: 8'.")
    return values


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise SettingsError(f"{text!r} is no assignment. Write section.key=value, such as retrieval.top_k=3.")
    return name.strip(), value.strip()


def _nest(changes: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in changes.items():
        *sections, key = name.split(".")
        place = nested
        for section in sections:
            place = place.setdefault(section, {})
            if not isinstance(place, dict):
                raise SettingsError(f"{name} and {section} cannot both be set: the one is a part of the other.")
        place[key] = value
    return nested


def _flattened(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _merge(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(low)
    for key, value in high.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _refuse_unknown_variables(variables: Mapping[str, str]) -> None:
    for name in variables:
        *sections, key = name.upper().removeprefix(PREFIX).lower().split("__")
        known = _keys(*sections)
        if not sections or key not in known:
            listed = ", ".join(
                "__".join([f"{PREFIX}{part}" for part in sections[:1]] + sections[1:] + [k]).upper() for k in known
            )
            raise SettingsError(f"The environment variable {name} is no setting. Known here: {listed}.")


def _keys(*sections: str) -> list[str]:
    """The keys of a section, or of a section in it; of no section, the sections; [] where there is none of this name."""
    model: Any = Settings
    for section in sections:
        field = model.model_fields.get(section) if isinstance(model, type) and issubclass(model, BaseModel) else None
        model = field.annotation if field else None
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _checked(kind: type[_S], values: Mapping[str, Any]) -> _S:
    try:
        return kind(**values)
    except ValidationError as error:
        raise SettingsError("; ".join(_explain(detail) for detail in error.errors())) from error


def _explain(detail: ErrorDetails) -> str:
    name = ".".join(str(part) for part in detail["loc"]) or "settings"
    if detail["type"] == "extra_forbidden":
        known = _keys(*map(str, detail["loc"][:-1]))
        return f"{name} is no setting. Known here: {', '.join(known)}"
    message = re.sub(r"^(Input|Value error,) ?", "", detail["msg"])
    return f"{name} = {detail['input']!r}: {message}" if not isinstance(detail["input"], dict) else f"{name}: {message}"
