"""Presets as files: what is exported comes back the same, what is wrong is named, and what is hostile is refused."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from settings import load_settings
from store.presets import Preset
from ui import presets, strings, tuning

BASE = load_settings(env={})


def parse(text: str | bytes) -> Preset:
    return presets.parse(text.encode() if isinstance(text, str) else text, name="file", base=BASE, present=BASE)


@pytest.mark.parametrize("key", presets.built_in())
def test_a_built_in_preset_can_be_used_and_differs_from_the_others(key: str) -> None:
    changes = presets.built_in()[key]
    BASE.override(changes)
    assert changes == tuning.differing(changes, BASE.flat()), "it repeats what is configured"
    assert list(presets.built_in().values()).count(changes) == 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("retrieval: {top_k: null}", "retrieval.top_k"),
        ("retrieval: {top_k: [1]}", "retrieval.top_k"),
        ("retrieval: {rerank: {enabled: true, provider: endpoint, base_url: 'http://evil.example/x'}}", "http://evil.example/x"),
    ],
)
def test_what_is_wrong_with_a_file_can_be_said(text: str, named: str) -> None:
    with pytest.raises(presets.PresetError) as error:
        parse(text)
    assert named in strings.say("preset_error", {"code": error.value.code, "params": error.value.params}, markdown=False)


@pytest.mark.parametrize(
    "text", ["retrieval: {top_k: true}", "name: [1, 2]\nretrieval: {top_k: 3}", "name: 3\nretrieval: {top_k: 3}"]
)
def test_a_value_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(presets.PresetError) as error:
        parse(text)
    assert error.value.code in ("wrong_values", "no_value", "not_of_retrieval")


def test_a_file_replaces_no_preset_of_the_same_name() -> None:
    assert presets.free_name("Mine", {"Other"}) == "Mine"
    assert presets.free_name("Mine", {"Mine", "Mine (2)"}) == "Mine (3)"
    assert len(presets.free_name("x" * 80, {"x" * 80})) <= 80


def test_what_is_exported_comes_back_the_same() -> None:
    changes: dict[str, Any] = {
        "retrieval.top_k": 3,
        "retrieval.fusion": "rrf",
        "retrieval.mmr.enabled": True,
        "retrieval.mmr.relevance_weight": 0.25,
    }
    text = presets.export("名称: **x**", changes)
    assert yaml.safe_load(text)["retrieval"]["mmr"] == {"enabled": True, "relevance_weight": 0.25}
    assert parse(text) == Preset("名称: **x**", changes)
    assert parse(presets.export("nothing", {})) == Preset("nothing", {})


def test_a_part_of_config_yaml_and_dotted_names_are_read_as_well() -> None:
    assert parse("retrieval:\n  top_k: 3\n  depth: 200\n") == Preset("file", {"retrieval.top_k": 3})
    assert parse("retrieval.top_k: '3'") == Preset("file", {"retrieval.top_k": 3})


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("retrieval: {top_k: 0, topk: 3}", "wrong_values", "retrieval.top_k = 0|retrieval.topk is no setting"),
        ("retrieval: {mmr: {relevance_weight: much}}", "wrong_values", "retrieval.mmr.relevance_weight = 'much'"),
        ("retrieval: {mmr: 3}", "wrong_values", "retrieval.mmr"),
        ("retrieval: {top_k: .nan}", "wrong_values", "retrieval.top_k"),
        ("retrieval: {rerank: {enabled: true, provider: cohere}}", "wrong_values", "model must be set"),
        ("name: '  '\nretrieval: {top_k: 3}", "wrong_values", "1 to 80"),
        (
            "ingest: {chunk_size: 500}\nstore: {dir: /tmp/x}\nretrieval: {top_k: 3}",
            "not_of_retrieval",
            "ingest.chunk_size, store.dir",
        ),
        ("retrieval: {top_k: [3]}", "no_value", "retrieval.top_k"),
        ("retrieval: {a: {b: {c: {d: {e: 1}}}}}", "no_value", "retrieval.a.b.c.d"),
        ("retrieval:", "no_value", "retrieval"),
        ("- 1", "no_preset", ""),
        ("", "no_preset", ""),
        ("a: [", "no_yaml", ""),
        (b"\xff\xfe\x00", "no_yaml", ""),
        ("[" * 20_000, "aliases", ""),
        ("- " * 20_000, "aliases", ""),
        ("? " * 20_000, "aliases", ""),
        ("!!python/object/apply:os.system ['true']", "no_yaml", ""),
        ("retrieval: {top_k: !!bool x}", "no_yaml", ""),
        ("retrieval: {top_k: !!timestamp x}", "no_yaml", ""),
        ("retrieval: {top_k: !!int ''}", "no_yaml", ""),
        ("a: &a {x: 1}\nretrieval: *a", "aliases", ""),
        ("a" * (presets.LARGEST_FILE + 1), "too_large", ""),
        ("retrieval: {rerank: {base_url: 'http://evil.example'}}", "foreign_address", "http://evil.example"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(text: str | bytes, code: str, named: str) -> None:
    with pytest.raises(presets.PresetError) as raised:
        parse(text)
    assert raised.value.code == code
    told = " ".join(raised.value.params.values())
    assert all(part in told for part in named.split("|"))


def test_a_value_is_kept_in_characters_that_can_be_shown_and_sent() -> None:
    assert parse('retrieval: {rerank: {model: "a\\ud800"}}').changes == {"retrieval.rerank.model": "a\ufffd"}


def test_an_address_that_is_in_use_already_may_be_named() -> None:
    address = {"retrieval.rerank.base_url": "http://127.0.0.1:8080"}
    text = presets.export("mine", address)
    assert presets.parse(text.encode(), name="", base=BASE, present=BASE.override(address)) == Preset("mine", address)
