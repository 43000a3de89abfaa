"""A person's own prompts at work: for the answer, for the queries and on the command line; what an answer was made with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from chains.__main__ import main
from models.prompts import default, in_force
from store.prompts import OwnPrompts
from tests.chains.conftest import Indexed
from tests.models.endpoints import KEY, chat_at
from tests.servers import ModelServer

OWN = "Answer like a pirate from these passages, or say NO_ANSWER.\n\n{passages}"
QUESTION = "What is the entrance code of the vault?"


@pytest.fixture(scope="module")
def vault(indexing: Callable[[], Indexed]) -> Indexed:
    made = indexing()
    made.add("default", {"vault.txt": "The entrance code of the vault is 4711.", "金库.txt": "金库的入口密码是4711。"})
    return made


@pytest.fixture
def own(vault: Indexed) -> Iterator[OwnPrompts]:
    kept = OwnPrompts(vault.library.engine)
    yield kept
    for key in kept.all():
        kept.reset(key)


def told(server: ModelServer, number: int = -1) -> str:
    return str(server.requests[number].body["messages"][0]["content"])


def test_the_answer_is_written_by_the_own_prompt_and_keeps_its_version(vault: Indexed, own: OwnPrompts) -> None:
    with ModelServer(words=["4711 [1]."]) as server:
        before = vault.ask(QUESTION, chat_at(server))
        own.save("answer.en", OWN)
        after = vault.ask(QUESTION, chat_at(server))
        assert told(server).startswith("Answer like a pirate from these passages, or say NO_ANSWER.\n\n[1] (")
        vault.ask("金库的入口密码是多少？", chat_at(server))
        assert told(server).startswith(default("answer.zh")[:20]), "each language has its own"
        own.reset("answer.en")
        again = vault.ask(QUESTION, chat_at(server))
    assert before["prompts"] == [{"prompt": "answer.en", "digest": in_force("answer", "en").digest, "changed": False}]
    assert [(each["prompt"], each["changed"]) for each in after["prompts"]] == [("answer.en", True)]
    assert after["prompts"][0]["digest"] != before["prompts"][0]["digest"]
    assert again["prompts"] == before["prompts"]


def test_the_layers_are_told_by_own_prompts_and_an_answer_names_all_it_was_made_with(vault: Indexed, own: OwnPrompts) -> None:
    own.save("multi_query.en", "Be bold: {count} versions.{translation}")
    with ModelServer(words=["Which code opens the vault? [1]"]) as server:
        answer = vault.ask(QUESTION, chat_at(server), retrieval__multi_query__enabled=True)
        assert told(server, 0).startswith("Be bold: 3 versions. After these, write one more line")
    assert {each["prompt"]: each["changed"] for each in answer["prompts"]} == {
        "answer.en": False,
        "multi_query.en": True,
        "translation.en": False,
    }


def test_without_a_model_only_the_words_of_a_refusal_are_used(vault: Indexed, own: OwnPrompts) -> None:
    own.save("refusal.en", "Nobody wrote that down.")
    refused = vault.ask("How do I bake bread?")
    assert (refused["answer"], refused["refused"]) == ("Nobody wrote that down.", True)
    assert [each["prompt"] for each in refused["prompts"]] == ["refusal.en"]
    assert vault.ask(QUESTION)["prompts"] == []


def test_nothing_is_in_force_between_two_events_of_a_turn(vault: Indexed, own: OwnPrompts) -> None:
    own.save("answer.en", OWN)
    with ModelServer(words=["4711 ", "[1]."]) as server:
        for _ in vault.turn(chat_at(server)).stream(QUESTION):
            assert in_force("answer", "en").text == default("answer.en")


def test_the_command_line_uses_them_too(
    vault: Indexed, own: OwnPrompts, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own.save("answer.en", OWN)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(words=["4711 [1]."]) as server:
        model = {"llm.provider": "openai", "llm.model": "m", "llm.base_url": server.base_url, "store.dir": str(vault.folder)}
        assert main([QUESTION, "--json", *(part for name, value in model.items() for part in ("--set", f"{name}={value}"))]) == 0
        assert told(server).startswith("Answer like a pirate")
    assert json.loads(capsys.readouterr().out)["prompts"][0]["changed"]
