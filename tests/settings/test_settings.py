"""Settings: one frozen object from file, environment and overrides; mistakes name the key, the value and what is allowed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, ValidationError

from settings import Fusion, Settings, SettingsError, load_secrets, load_settings

ROOT = Path(__file__).parents[2]


def test_config_file_repeats_every_default() -> None:
    written = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert written == Settings().model_dump(mode="json")


def test_config_file_names_the_range_of_every_number() -> None:
    lines: dict[str, str] = {}
    above: list[str] = []
    for line in (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines():
        name = line.strip().partition(":")[0]
        depth = (len(line) - len(line.lstrip())) // 2
        above = [*above[:depth], name]
        lines[".".join(above)] = line
    checked = 0
    for name, limits in _limits(Settings):
        for limit in limits:
            assert f"{getattr(limit, 'ge', getattr(limit, 'le', None)):.9g}" in lines[name].partition("#")[2], name
            checked += 1
    assert checked > 50


def _limits(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, list[Any]]]:
    for key, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _limits(field.annotation, f"{above}{key}.")
        else:
            yield f"{above}{key}", [limit for limit in field.metadata if hasattr(limit, "ge") or hasattr(limit, "le")]


def test_environment_wins_over_file_and_override_over_both(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("retrieval: {top_k: 3, depth: 50, rrf_c: 10}\n", encoding="utf-8")
    settings = load_settings(
        ["retrieval.rrf_c=30"], path=file, env={"GLASSBOX_RETRIEVAL__DEPTH": "70", "GLASSBOX_RETRIEVAL__RRF_C": "20"}
    )
    assert (settings.retrieval.top_k, settings.retrieval.depth, settings.retrieval.rrf_c) == (3, 70, 30)


def test_config_variable_picks_the_file(tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text("ui: {language: zh}", encoding="utf-8")
    assert load_settings(env={"GLASSBOX_CONFIG": str(file)}).ui.language == "zh"


def test_missing_file_that_was_asked_for_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere.yaml does not exist"):
        load_settings(env={"GLASSBOX_CONFIG": str(tmp_path / "nowhere.yaml")})


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("retrieval.top_k=99", r"retrieval\.top_k = '99': .*50"),
        ("retrieval.topk=3", r"retrieval\.topk is no setting. Known here: top_k"),
        ("retrieval.vector_weight=-0.1", r"retrieval\.vector_weight = '-0.1': .*0"),
        ("retrieval.vector_weight=nan", r"retrieval\.vector_weight = 'nan'"),
        ("retrieval.fusion=best", r"retrieval\.fusion = 'best': .*'standard', 'min_max' or 'rrf'"),
        ("retrival.top_k=3", r"retrival is no setting. Known here: store"),
        ("retrieval=3", r"retrieval = '3'"),
        ("retrieval.rerank.depht=3", r"retrieval\.rerank\.depht is no setting. Known here: enabled, provider"),
        ("retrieval.recency.half_life_days=0", r"retrieval\.recency\.half_life_days = '0': .*0\.1"),
        ("store.dir=", r"store\.dir = '': must name a folder"),
        ("top_k", r"section\.key=value"),
        ("llm.base_url=http://[", r"llm\.base_url = 'http://\[': must be empty or an address such as http://"),
        ("embeddings.base_url=localhost:80", r"embeddings\.base_url = 'localhost:80': must be empty or an address"),
        ("llm.provider=openai", r"llm: with provider 'openai', model must be set"),
    ],
)
def test_mistake_is_named_with_what_is_allowed(override: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings([override], env={})


def test_mistyped_environment_variable_is_refused() -> None:
    with pytest.raises(SettingsError, match="GLASSBOX_RETRIEVAL__TOPK is no setting.*GLASSBOX_RETRIEVAL__TOP_K"):
        load_settings(env={"GLASSBOX_RETRIEVAL__TOPK": "3"})


def test_a_layers_setting_comes_from_the_environment_too() -> None:
    assert load_settings(env={"GLASSBOX_RETRIEVAL__MULTI_QUERY__COUNT": "5"}).retrieval.multi_query.count == 5
    with pytest.raises(SettingsError, match="Known here: GLASSBOX_RETRIEVAL__MULTI_QUERY__ENABLED"):
        load_settings(env={"GLASSBOX_RETRIEVAL__MULTI_QUERY__COUNTS": "5"})


def test_unknown_key_in_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("retrieval: {top_n: 3}", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"retrieval\.top_n is no setting"):
        load_settings(path=file, env={})


@pytest.mark.parametrize("text", ["retrieval: [", "retrieval: {top_k: !!bool x}", "retrieval: {top_k: 2026-99-99}", "- " * 5_000])
def test_broken_yaml_names_the_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"c\.yaml is not valid YAML"):
        load_settings(path=file, env={})


def test_settings_cannot_be_changed_in_place_and_override_gives_a_new_object() -> None:
    settings = load_settings(env={})
    with pytest.raises(ValidationError):
        settings.retrieval.top_k = 3  # type: ignore[misc]
    changed = settings.override({"retrieval.top_k": 3, "retrieval.fusion": "rrf"})
    assert (changed.retrieval.top_k, changed.retrieval.fusion, settings.retrieval.top_k) == (3, Fusion.RRF, 8)


def test_secrets_come_from_the_environment_and_are_never_printed() -> None:
    secrets = load_secrets({"OPENAI_API_KEY": "sk-hidden", "COHERE_API_KEY": ""})
    assert secrets.openai_api_key is not None
    assert secrets.openai_api_key.get_secret_value() == "sk-hidden"
    assert secrets.cohere_api_key is None
    assert "hidden" not in repr(secrets) + str(secrets.model_dump()) + secrets.model_dump_json()


def test_two_overrides_of_which_one_is_a_part_of_the_other_are_refused() -> None:
    with pytest.raises(SettingsError, match="cannot both be set"):
        load_settings(["retrieval=5", "retrieval.top_k=3"], env={})


def test_a_folder_as_configuration_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(path=tmp_path, env={})


def test_the_store_folder_may_be_in_the_home_folder() -> None:
    assert load_settings(["store.dir=~/glassbox"], env={}).store.dir == Path.home() / "glassbox"
