"""Chat models by role: which model, at which address, with which key; and that each is checked."""

from __future__ import annotations

import pytest

from models import ModelError, get_chat_model, get_chat_models
from models.check import Checked, check_models, places
from models.endpoint_chat import EndpointChat
from models.identity import identity_of
from settings import Settings, SettingsError, load_secrets, load_settings
from settings.models import OWN_ROLES
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

KEYS = {"OPENAI_API_KEY": "sk-answers", "REWRITE_API_KEY": "sk-rewrites"}


def settings_of(server: ModelServer, **changes: object) -> Settings:
    chosen: dict[str, object] = {"llm.provider": "openai", "llm.model": "talker", "llm.base_url": server.base_url}
    return load_settings(chosen | {f"llm.{name.replace('__', '.')}": value for name, value in changes.items()}, env={})


def asked(server: ModelServer, settings: Settings, role: str, env: dict[str, str] | None = None) -> tuple[str, str]:
    """Which model a call in that role asks for, and with which key."""
    model = get_chat_model(settings, load_secrets(KEYS if env is None else env), role=role)  # type: ignore[arg-type]
    assert model is not None
    model.invoke("hi")
    request = server.requests[-1]
    return request.body["model"], request.headers["authorization"].removeprefix("Bearer ")


@pytest.mark.parametrize("role", OWN_ROLES)
def test_without_a_model_of_its_own_a_role_has_that_of_the_answers(role: str) -> None:
    with ModelServer() as server:
        assert asked(server, settings_of(server), role, {"OPENAI_API_KEY": "sk-answers"}) == ("talker", "sk-answers")


@pytest.mark.parametrize("role", OWN_ROLES)
def test_a_role_has_another_model_at_the_same_address_with_the_same_key(role: str) -> None:
    with ModelServer() as server:
        settings = settings_of(server, **{f"{role}__model": "small"})
        assert asked(server, settings, role, {"OPENAI_API_KEY": "sk-answers"}) == ("small", "sk-answers")
        assert asked(server, settings, "answer") == ("talker", "sk-answers")


def test_a_roles_own_key_goes_before_that_of_the_answers() -> None:
    with ModelServer() as server:
        assert asked(server, settings_of(server, rewrite__model="small"), "rewrite") == ("small", "sk-rewrites")
        assert asked(server, settings_of(server, judge__model="strict"), "judge") == ("strict", "sk-answers")


def test_the_key_of_the_answers_is_never_shown_to_another_server() -> None:
    with ModelServer() as server, ModelServer() as other:
        settings = settings_of(server, judge__base_url=other.base_url, rewrite__base_url=other.base_url)
        assert asked(other, settings, "judge") == ("talker", "none")
        assert asked(other, settings, "rewrite") == ("talker", "sk-rewrites")
        assert "sk-answers" not in str([request.headers for request in other.requests])


def test_a_role_can_have_a_model_where_answers_have_none_and_none_where_they_have_one() -> None:
    with ModelServer() as server:
        own = {"rewrite__provider": "openai", "rewrite__model": "small", "rewrite__base_url": server.base_url}
        models = get_chat_models(settings_of(server, provider="none", model="", **own), load_secrets(KEYS))
        assert (models.answer, models.judge) == (None, None)
        assert models.rewrite is not None
        models = get_chat_models(settings_of(server, rewrite__provider="none"), load_secrets(KEYS))
        assert models.rewrite is None
        assert models.answer is not None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"llm.rewrite.model": "small"}, "rewrite.provider must be 'openai' where provider is 'none'"),
        ({"llm.judge.provider": "openai"}, "judge.model must be set as well"),
        ({"llm.judge.base_url": "localhost:80"}, r"llm\.judge\.base_url = 'localhost:80': must be empty or an address"),
        ({"llm.rewrite.modell": "x"}, r"llm\.rewrite\.modell is no setting. Known here: provider, base_url, model"),
    ],
)
def test_half_a_role_is_refused_with_what_is_missing(changes: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings(changes, env={})


def test_a_role_is_set_by_the_environment_too() -> None:
    settings = load_settings(env={"GLASSBOX_LLM__REWRITE__PROVIDER": "openai", "GLASSBOX_LLM__REWRITE__MODEL": "small"})
    assert (settings.llm.of("rewrite").provider, settings.llm.of("rewrite").model) == ("openai", "small")
    assert settings.llm.of("answer").provider == "none"


def test_a_refused_key_names_its_variable() -> None:
    with ModelServer(failure="unauthorized") as server:
        model = get_chat_model(settings_of(server, judge__model="strict"), load_secrets(KEYS), role="judge")
        assert model is not None
        with pytest.raises(ModelError, match=r"Check the key in the environment \(JUDGE_API_KEY\)"):
            model.invoke("hi")


# --- the check ------------------------------------------------------------------------------------------------------------------


def test_each_role_that_has_its_own_model_is_checked() -> None:
    with ModelServer() as server, ModelServer(failure="unknown_model") as broken:
        settings = settings_of(server, rewrite__model="small", judge__base_url=broken.base_url, vision__provider="none")
        found: dict[str, Checked] = {each.role: each for each in check_models(settings, load_secrets(KEYS))}
    assert list(found) == ["embeddings", "chat", "rewrite", "judge", "vision", "rerank"]
    assert {role: found[role].status for role in ("chat", "rewrite", "judge", "vision")} == {
        "chat": "ok",
        "rewrite": "ok",
        "judge": "failed",
        "vision": "off",
    }
    assert (found["rewrite"].model, found["judge"].code, found["judge"].place) == ("small", "unknown_model", broken.base_url)


def test_a_model_for_pictures_is_shown_one() -> None:
    with ModelServer() as server:
        check_models(settings_of(server, vision__model="seer"), load_secrets(KEYS))
        (seen,) = [request.body for request in server.requests if request.body["model"] == "seer"]
    kinds = [part["type"] for part in seen["messages"][0]["content"]]
    assert kinds == ["text", "image_url"]


def test_roles_with_the_model_of_the_answers_are_not_checked_twice() -> None:
    with ModelServer() as server:
        assert list(places(settings_of(server))) == ["embeddings", "chat", "rerank"]


# --- which model wrote something, for caches ------------------------------------------------------------------------------------


def test_another_address_model_or_setting_is_another_model_for_caches() -> None:
    with ModelServer() as server, ModelServer() as other:
        one = chat_at(server)
        others = [chat_at(other), chat_at(server, model="m"), chat_at(server, temperature=0.5), chat_at(server, max_tokens=9)]
        for known_as in (identity_of, lambda model: model._get_llm_string()):
            assert known_as(one) == known_as(chat_at(server))
            assert len({known_as(each) for each in [one, *others]}) == 5
            assert "sk-" not in known_as(one)


# --- Azure ----------------------------------------------------------------------------------------------------------------------


def test_azure_is_an_address_like_others_and_gets_the_names_it_knows() -> None:
    address = "https://mine.openai.azure.com/openai/v1/"
    settings = load_settings({"llm.provider": "openai", "llm.model": "my-deployment", "llm.base_url": address}, env={})
    model = get_chat_model(settings, load_secrets(KEYS))
    assert isinstance(model, EndpointChat)
    assert str(model.root_client.base_url) == address
    payload = model._get_request_payload("hi")
    assert (payload["model"], "max_completion_tokens" in payload, "max_tokens" in payload) == ("my-deployment", True, False)
