"""Which model is asked for what in a conversation, and what the answer says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chains import Turn
from models import ChatModels, get_chat_models
from retrievers import Retriever
from settings import load_secrets
from tests.chains.conftest import Indexed
from tests.models.endpoints import KEY, chat_at
from tests.servers import ModelServer

SECRETS = load_secrets({"OPENAI_API_KEY": KEY})
CONVERSATIONS = [
    (
        [("human", "What is RAG?"), ("ai", "It looks up passages.")],
        "And which problems does it solve?",
        "Which problems does RAG solve?",
    ),
    ([("human", "什么是 RAG？"), ("ai", "它先检索段落。")], "它解决了哪些问题？", "RAG 解决了哪些问题？"),
]


@pytest.fixture
def answers() -> Iterator[ModelServer]:
    with ModelServer(words=["RAG looks up passages in a collection of documents [1]."]) as running:
        yield running


@pytest.fixture
def rewrites() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def turn(indexed: Indexed, answers: ModelServer, rewrites: ModelServer, **changes: Any) -> Turn:
    """A turn whose answers and whose rewriting have servers of their own."""
    chosen = {"llm.provider": "openai", "llm.model": "writer", "llm.base_url": answers.base_url}
    chosen |= {"llm.rewrite.model": "small", "llm.rewrite.base_url": rewrites.base_url}
    settings = indexed.settings.override(chosen | {name.replace("__", "."): value for name, value in changes.items()})
    models = get_chat_models(settings, SECRETS)
    return Turn(Retriever(indexed.stores), indexed.library.base("default"), settings, model=models)


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=["en", "zh"])
def test_follow_ups_and_layers_ask_the_model_for_rewriting_and_the_answer_its_own(
    indexed: Indexed, answers: ModelServer, rewrites: ModelServer, conversation: tuple[list[tuple[str, str]], str, str]
) -> None:
    history, question, alone = conversation
    rewrites.words = [alone]
    answer = turn(indexed, answers, rewrites, retrieval__multi_query__enabled=True).ask(question, history)
    assert answer["standalone_question"] == alone
    assert {request.body["model"] for request in rewrites.requests} == {"small"}
    assert [request.body["model"] for request in answers.requests] == ["writer"]
    assert KEY not in str([request.headers for request in rewrites.requests]), "another server, another key"
    told = {row["role"]: row for row in answer["usage"]["by_role"]}
    assert told["answer"]["calls"] == 1
    assert told["rewrite"]["calls"] == len(rewrites.requests) >= 2
    assert (told["rewrite"]["model"], told["rewrite"]["place"]) == ("small", rewrites.base_url)
    assert answer["usage"]["total_tokens"] == sum(row["input_tokens"] + row["output_tokens"] for row in told.values())


def test_an_answer_says_what_it_cost_where_its_models_have_prices(
    indexed: Indexed, answers: ModelServer, rewrites: ModelServer
) -> None:
    history, question, alone = CONVERSATIONS[0]
    rewrites.words = [alone]
    prices = [{"model": "writer", "input": 1000, "output": 2000}]
    answer = turn(indexed, answers, rewrites, prices__models=prices, prices__currency="EUR").ask(question, history)
    usage = answer["usage"]
    assert (usage["cost"], usage["currency"]) == ((7 * 1000 + 1 * 2000) / 1e6, "EUR")
    assert usage["unpriced_calls"] == 1, "that of the model for rewriting"


def test_a_failing_model_for_rewriting_leaves_the_simpler_way_and_is_counted(
    indexed: Indexed, answers: ModelServer, rewrites: ModelServer
) -> None:
    rewrites.failure = "unauthorized"
    history, question, _ = CONVERSATIONS[0]
    answer = turn(indexed, answers, rewrites).ask(question, history)
    assert "standalone_failed" in [note["code"] for note in answer["notes"]]
    assert answer["standalone_by"] == "by_rules"
    assert (answer["mode"], answer["error"]) == ("llm", None)
    assert {row["role"]: row["failed"] for row in answer["usage"]["by_role"]} == {"rewrite": 1, "answer": 0}


def test_without_a_model_for_rewriting_rules_do_it(indexed: Indexed, answers: ModelServer, rewrites: ModelServer) -> None:
    history, question, _ = CONVERSATIONS[0]
    off = {"llm__rewrite__provider": "none", "llm__rewrite__model": "", "llm__rewrite__base_url": ""}
    answer = turn(indexed, answers, rewrites, **off).ask(question, history)
    assert answer["standalone_by"] == "by_rules"
    assert "RAG" in answer["standalone_question"]
    assert [row["role"] for row in answer["usage"]["by_role"]] == ["answer"]


def test_without_any_model_nothing_is_counted(indexed: Indexed) -> None:
    assert indexed.ask("What is RAG?")["usage"] == {}


def test_what_one_server_chose_is_not_taken_for_what_another_of_the_same_model_would(
    indexed: Indexed, answers: ModelServer, rewrites: ModelServer
) -> None:
    """The answers of a model to the layers are kept, so that a moved slider asks nothing: by address as well as by name."""
    answers.words = rewrites.words = ["1"]
    settings = indexed.settings.override({"retrieval.llm_filter.enabled": True})
    retriever, base = Retriever(indexed.stores), indexed.library.base("default")
    for server in (answers, answers, rewrites):
        retriever.retrieve("What is RAG?", base, settings, model=chat_at(server))
    assert (len(answers.requests), len(rewrites.requests)) == (1, 1)


def test_one_model_serves_every_role(indexed: Indexed, answers: ModelServer) -> None:
    model = chat_at(answers)
    assert ChatModels.same(model) == ChatModels(model, model, model)
    history, question, alone = CONVERSATIONS[0]
    answers.words = [alone]
    found = Turn(Retriever(indexed.stores), indexed.library.base("default"), indexed.settings, model=model).ask(question, history)
    assert found["standalone_question"] == alone
    assert len(answers.requests) == 2
