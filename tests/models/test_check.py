"""`python -m models check`, against real servers: one line a model, with what is wrong and the remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.__main__ import main
from models.check import Checked, check_models
from settings import load_settings
from tests.models.endpoints import KEY, SECRETS, chat_at
from tests.rerank_server import RerankServer
from tests.servers import ModelServer


def settings_for(server: ModelServer, **changes: object) -> list[str]:
    chosen = {
        "llm.provider": "openai",
        "llm.model": "talker",
        "llm.base_url": server.base_url,
        "llm.timeout_seconds": 2,
        "embeddings.provider": "openai",
        "embeddings.model": "embedder",
        "embeddings.base_url": server.base_url,
    }
    return [f"{name}={value}" for name, value in {**chosen, **changes}.items()]


def test_models_that_answer_are_said_to(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer() as server:
        status = main(["check", *(part for each in settings_for(server) for part in ("--set", each))])
        lines = capsys.readouterr().out.splitlines()
    assert status == 0
    assert lines[0].startswith(f"embeddings: ok, embedder at {server.base_url}, 8 dimensions, ")
    assert lines[1].startswith(f"chat: ok, talker at {server.base_url}, ")
    assert lines[2] == "rerank: none but MaxSim, or switched off"


def test_without_any_setting_the_local_embedder_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "--set", "llm.provider=none"]) == 0
    embeddings, chat, rerank = (Checked(**each) for each in json.loads(capsys.readouterr().out)["models"])
    assert (embeddings.status, embeddings.place, embeddings.dimension) == ("ok", "", 384)
    assert (chat.status, rerank.status) == ("off", "off")


@pytest.mark.parametrize(
    ("failure", "code", "remedy"),
    [
        ("unauthorized", "key_refused", "key"),
        ("unknown_model", "unknown_model", "talker"),
        ("rate_limit", "rate_limit", ""),
        ("html", "malformed", "base_url"),
        ("empty", "wrote_nothing", "max_tokens"),
        ("hang", "timeout", "time limit"),
    ],
)
def test_what_is_wrong_with_a_chat_model_is_one_line_with_the_remedy(failure: str, code: str, remedy: str) -> None:
    with ModelServer(failure=failure) as server:
        changes = {"llm.timeout_seconds": 0.5, "embeddings.provider": "local", "embeddings.model": ""}
        chat = check_models(load_settings(settings_for(server, **changes), env={}), SECRETS)[1]
    assert (chat.status, chat.code) == ("failed", code)
    assert remedy in chat.reason
    assert "\n" not in chat.reason
    assert KEY not in chat.reason


@pytest.mark.parametrize("stream", [False, True])
def test_half_a_surrogate_pair_in_an_answer_is_made_harmless(stream: bool) -> None:
    with ModelServer(words=["a\0b\ud83d", " end"]) as server:
        model = chat_at(server)
        text = "".join(chunk.text for chunk in model.stream("Hi")) if stream else model.invoke("Hi").text
    assert text == "a b\ufffd end"


def test_an_endpoint_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer() as server:
        gone = server.base_url
    call = ["check", "--set", "llm.provider=openai", "--set", "llm.model=m", "--set", f"llm.base_url={gone}"]
    assert main([*call, "--set", "llm.timeout_seconds=0.5"]) == 1
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("chat: "))
    assert gone in line


def test_a_reranker_is_asked_when_it_is_switched_on(tmp_path: Path) -> None:
    with RerankServer() as server:
        chosen = {
            "retrieval.rerank.enabled": True,
            "retrieval.rerank.provider": "endpoint",
            "retrieval.rerank.model": "ranker",
            "retrieval.rerank.base_url": server.url,
        }
        rerank = check_models(load_settings(chosen, env={}), SECRETS)[2]
    assert (rerank.status, rerank.model, rerank.place) == ("ok", "ranker", server.url)
