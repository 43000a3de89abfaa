"""Answers that were kept: given again for the same question, and never once anything that the model was shown is another."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import diskcache
import pytest

from chains import Turn
from chains.__main__ import main
from chains.cache import AnswerCache, RememberedChat
from models import ChatModels
from retrievers import Retriever
from tests.chains.conftest import Indexed
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

QUESTION = "Which vector databases are common?"
CHINESE = "常见的向量数据库有哪些？"
HISTORY = [("human", "What is RAG?"), ("ai", "It looks up passages.")]
ALONE: dict[str, Any] = {"conversation__standalone": False}


@pytest.fixture
def answers(tmp_path: Path) -> Iterator[AnswerCache]:
    made = AnswerCache(tmp_path / "answers")
    yield made
    made.close()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(words=["Milvus and ", "Qdrant [1]."]) as running:
        yield running


def turn(indexed: Indexed, answers: AnswerCache, server: ModelServer, llm: dict[str, Any] | None = None, **changes: Any) -> Turn:
    settings = indexed.settings.override({name.replace("__", "."): value for name, value in changes.items()})
    models = ChatModels.same(chat_at(server, **(llm or {})))
    return Turn(Retriever(indexed.stores), indexed.library.base("default"), settings, model=models, answers=answers)


@pytest.mark.parametrize("question", [QUESTION, CHINESE])
def test_the_same_question_is_answered_without_the_model(
    indexed: Indexed, answers: AnswerCache, server: ModelServer, question: str
) -> None:
    first = turn(indexed, answers, server).ask(question)
    assert (first["cached"], first["usage"]["calls"]) == (None, 1)
    events = list(turn(indexed, answers, server).stream(question))
    second = events[-1]["answer"]
    assert len(server.requests) == 1
    assert "".join(event["text"] for event in events if event["event"] == "token") == "Milvus and Qdrant [1]."
    assert second["cached"].startswith("20")
    assert second["usage"] == {}
    for same in ("answer", "citations", "mode", "refused", "error"):
        assert second[same] == first[same]


def test_kept_answers_outlive_the_process_that_wrote_them(indexed: Indexed, server: ModelServer, tmp_path: Path) -> None:
    for _ in range(2):
        answers = AnswerCache(tmp_path / "answers")
        answer = turn(indexed, answers, server).ask(QUESTION)
        answers.close()
    assert answer["cached"]
    assert len(server.requests) == 1


OTHERS: dict[str, dict[str, Any]] = {
    "another question": {"question": "Which vector databases are there?"},
    "another history": {"history": HISTORY},
    "another model": {"llm": {"model": "other"}},
    "another temperature": {"llm": {"temperature": 0.7}},
    "another limit of words": {"llm": {"max_tokens": 99}},
    "fewer passages": {"retrieval__top_k": 2},
    "less of them": {"answer__max_context_chars": 500},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_anything_else_is_asked_anew(indexed: Indexed, answers: AnswerCache, server: ModelServer, other: dict[str, Any]) -> None:
    turn(indexed, answers, server, **ALONE).ask(QUESTION)
    changes = {"question": QUESTION, "history": ()} | other
    question, history = changes.pop("question"), changes.pop("history")
    answer = turn(indexed, answers, server, **ALONE, **changes).ask(question, history)
    assert answer["cached"] is None
    assert len(server.requests) == 2


def test_the_same_model_at_another_address_is_asked_anew(indexed: Indexed, answers: AnswerCache, server: ModelServer) -> None:
    turn(indexed, answers, server).ask(QUESTION)
    with ModelServer(words=["FAISS [1]."]) as other:
        assert turn(indexed, answers, other).ask(QUESTION)["answer"] == "FAISS [1]."
        assert len(other.requests) == 1


def test_another_prompt_is_asked_anew(
    indexed: Indexed, answers: AnswerCache, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn(indexed, answers, server).ask(QUESTION)
    monkeypatch.setattr("chains.generated.prompt", lambda *_: "Answer in rhymes: {passages}")
    assert turn(indexed, answers, server).ask(QUESTION)["cached"] is None
    assert len(server.requests) == 2


def test_a_changed_document_is_asked_about_anew(
    indexing: Callable[[], Indexed], answers: AnswerCache, server: ModelServer
) -> None:
    made = indexing()
    made.add("default", {"v.md": "# Stores\n\nCommon vector databases are Milvus and Qdrant, which many people use for search."})
    turn(made, answers, server).ask(QUESTION)
    made.add("default", {"w.md": "# More stores\n\nAnother common vector database is LanceDB, which keeps its vectors in files."})
    assert turn(made, answers, server).ask(QUESTION)["cached"] is None


def test_a_refusal_of_the_model_is_kept_as_one(indexed: Indexed, answers: AnswerCache) -> None:
    with ModelServer(words=["NO_", "ANSWER"]) as server:
        first, second = (turn(indexed, answers, server).ask(QUESTION) for _ in range(2))
        assert len(server.requests) == 1
    assert second["cached"]
    assert (second["refused"], second["reason"]) == (first["refused"], first["reason"]) == (True, first["reason"])


@pytest.mark.parametrize(
    "failure", ["server_error", "close_midway", "end_midway", "error_midway", "length", "filtered", "empty", "malformed"]
)
def test_a_failed_answer_is_never_kept(indexed: Indexed, answers: AnswerCache, failure: str) -> None:
    with ModelServer(words=["Milvus [1]", " and Qdrant."], failure=failure) as server:
        assert turn(indexed, answers, server, {"timeout_seconds": 0.5}).ask(QUESTION)["error"]
        assert len(answers) == 0
        server.failure = None
        assert turn(indexed, answers, server).ask(QUESTION)["cached"] is None


def test_thoughts_without_an_answer_are_never_kept(indexed: Indexed, answers: AnswerCache) -> None:
    with ModelServer(words=["<think>", "Let me see."]) as server:
        assert turn(indexed, answers, server).ask(QUESTION)["error"]
    assert len(answers) == 0


def test_a_stopped_answer_is_never_kept_and_lets_go_of_the_server(indexed: Indexed, answers: AnswerCache) -> None:
    with ModelServer(words=["word "] * 2000, pause=0.01) as server:
        events = turn(indexed, answers, server).stream(QUESTION)
        while next(events)["event"] != "token":
            pass
        events.close()
        assert server.abandoned.wait(5)
    assert len(answers) == 0


def test_asked_anew_the_model_writes_again_and_that_is_kept_instead(
    indexed: Indexed, answers: AnswerCache, server: ModelServer
) -> None:
    turn(indexed, answers, server).ask(QUESTION)
    server.words = ["FAISS [1]."]
    assert turn(indexed, answers, server).ask(QUESTION, anew=True)["answer"] == "FAISS [1]."
    kept = turn(indexed, answers, server).ask(QUESTION)
    assert (kept["answer"], bool(kept["cached"]), len(server.requests)) == ("FAISS [1].", True, 2)


def test_switched_off_nothing_is_kept_or_given_again(indexed: Indexed, answers: AnswerCache, server: ModelServer) -> None:
    turn(indexed, answers, server).ask(QUESTION)
    off: dict[str, Any] = {"answer__cache__enabled": False}
    assert turn(indexed, answers, server, **off).ask(QUESTION)["cached"] is None
    answers.clear()
    turn(indexed, answers, server, **off).ask(QUESTION)
    assert (len(answers), len(server.requests)) == (0, 3)


def test_what_is_kept_can_be_forgotten(indexed: Indexed, answers: AnswerCache, server: ModelServer) -> None:
    turn(indexed, answers, server).ask(QUESTION)
    turn(indexed, answers, server).ask(CHINESE)
    assert (len(answers), answers.clear(), len(answers)) == (2, 2, 0)
    assert turn(indexed, answers, server).ask(QUESTION)["cached"] is None


def test_an_answer_is_kept_for_the_days_that_are_set(indexed: Indexed, server: ModelServer, tmp_path: Path) -> None:
    answers = AnswerCache(tmp_path / "answers")
    for days, outlives_tomorrow in ((0.5, False), (30.0, True)):
        assert turn(indexed, answers, server, answer__cache__days=days).ask(QUESTION)["cached"] is None
        with diskcache.Cache(str(tmp_path / "answers")) as disk:
            disk.expire(now=time.time() + 86_400)
        assert bool(turn(indexed, answers, server).ask(QUESTION)["cached"]) == outlives_tomorrow
        answers.clear()
    answers.close()


def test_a_folder_that_is_none_or_holds_rubbish_only_costs_time(
    indexed: Indexed, server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x")
    answers = AnswerCache(tmp_path / "file" / "answers")
    assert turn(indexed, answers, server).ask(QUESTION)["answer"] == "Milvus and Qdrant [1]."
    assert "The cache of answers cannot be" in caplog.text
    answers = AnswerCache(tmp_path / "answers")
    turn(indexed, answers, server).ask(QUESTION)
    with diskcache.Cache(str(tmp_path / "answers")) as disk:
        for key in list(disk):
            disk[key] = '{"text": 3'
    assert turn(indexed, answers, server).ask(QUESTION)["cached"] is None
    answers.close()


def test_in_one_piece_the_words_are_the_same(answers: AnswerCache, server: ModelServer) -> None:
    assert RememberedChat(inner=chat_at(server), answers=answers, days=1).invoke("hi").text == "Milvus and Qdrant [1]."


def test_the_command_line_keeps_answers_and_forgets_them_on_demand(
    indexed: Indexed, server: ModelServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(*arguments: str) -> dict[str, Any]:
        settings = {"llm.provider": "openai", "llm.model": "m", "llm.base_url": server.base_url}
        options = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
        assert main([*arguments, "--json", *options]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(indexed.folder))
    call("--clear-answers")
    assert call(QUESTION)["cached"] is None
    assert call(QUESTION)["cached"]
    assert call(QUESTION, "--anew")["cached"] is None
    assert call("--clear-answers") == {"forgotten": 1}
    assert call(QUESTION)["cached"] is None
    call("--clear-answers")
