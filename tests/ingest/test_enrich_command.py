"""`python -m ingest enrich`: the cost first, then the work within its limits, and what it says without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.__main__ import main
from store.database import connect
from store.prompts import OwnPrompts
from tests.ingest.enriching import Writer
from tests.models.endpoints import KEY

ROOT = Path(__file__).parents[2]
ON = ("--set", "ingest.enrich.questions.enabled=true")
Call = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def server() -> Iterator[Writer]:
    with Writer() as running:
        yield running


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: Writer) -> Call:
    """Run a command with --json on a base with two documents; gives the exit status and the JSON."""
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GLASSBOX_LLM__PROVIDER", "openai")
    monkeypatch.setenv("GLASSBOX_LLM__MODEL", "talker")
    monkeypatch.setenv("GLASSBOX_LLM__BASE_URL", server.base_url)
    monkeypatch.chdir(ROOT)

    def run(*arguments: object) -> tuple[int, dict[str, Any]]:
        status = main([*map(str, arguments), "--json"])
        [line] = capsys.readouterr().out.splitlines()
        return status, json.loads(line)

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Refund window is thirty days.", encoding="utf-8")
    (folder / "退款.txt").write_text("退款期限为三十天。", encoding="utf-8")
    assert run("add", folder)[0] == 0
    return run


def test_the_cost_then_the_work_then_nothing_left(call: Call, server: Writer) -> None:
    status, told = call("enrich", "--estimate", *ON)
    assert (status, told["estimate"]["calls"], told["model"], told["kinds"]) == (0, 2, "talker", ["questions"])
    assert told["limits"] == {"calls": 1000, "tokens": 1_000_000}
    assert server.requests == []
    status, done = call("enrich", *ON)
    assert (status, done["calls"], done["tokens"], done["left"], done["stopped"]) == (0, 2, 240, 0, None)
    assert [(file["source"], file["status"], file["written"]) for file in done["files"]] == [
        ("a.txt", "enriched", {"question": 1}),
        ("退款.txt", "enriched", {"question": 1}),
    ]
    assert done["estimate"] == told["estimate"]
    assert call("enrich", *ON)[1]["calls"] == 0
    assert [document["written"] for document in call("list")[1]["documents"]] == [{"question": 1}] * 2
    assert call("stats")[1]["chunks_total"] == 2, "what was written is no chunk"
    assert call("check")[0] == 0
    assert call("enrich", "--remove", "a.txt")[1]["files"][0]["written"] == {}
    assert [document["written"] for document in call("list")[1]["documents"]] == [{}, {"question": 1}]


def test_names_choose_and_a_name_that_is_none_fails(call: Call, server: Writer) -> None:
    status, done = call("enrich", "退款.txt", "nothing.txt", *ON)
    assert status == 1
    assert [(file["source"], file["status"]) for file in done["files"]] == [("退款.txt", "enriched"), ("nothing.txt", "failed")]
    assert server.texts == ["退款期限为三十天。"]


def test_a_limit_is_told_and_a_failure_ends_with_1(call: Call, server: Writer) -> None:
    status, done = call("enrich", *ON, "--set", "ingest.enrich.max_calls=1", "--set", "ingest.enrich.at_once=1")
    assert (status, done["calls"], done["left"]) == (0, 1, 1)
    assert "max_calls" in done["stopped"]
    server.reply = lambda asked: ("unauthorized", "")
    status, done = call("enrich", *ON)
    assert (status, done["files"][1]["failures"][0]["code"]) == (1, "key_refused")
    assert KEY not in json.dumps(done)


def test_without_a_model_or_a_kind_it_says_so(call: Call, server: Writer) -> None:
    status, said = call("enrich", *ON, "--set", "llm.provider=none")
    assert status == 2
    assert "llm.provider" in said["error"]
    status, said = call("enrich")
    assert status == 2
    assert "ingest.enrich.questions.enabled" in said["error"]
    assert call("enrich", "--estimate", *ON, "--set", "llm.provider=none")[1]["estimate"]["calls"] == 2
    assert server.requests == []


def test_a_person_sees_the_cost_before_it_starts(call: Call, server: Writer, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[str] = []

    def reply(asked: dict[str, Any]) -> str:
        seen.append(capsys.readouterr().err)
        return "Who knows?"

    server.reply = reply
    assert main(["enrich", *ON, "--set", "ingest.enrich.at_once=1"]) == 0
    assert "2 calls of talker" in seen[0]
    assert "[2/2] 退款.txt: enriched" in capsys.readouterr().err


def test_the_model_for_rewriting_writes_where_there_is_one(call: Call, server: Writer) -> None:
    status, done = call("enrich", *ON, "--set", "llm.rewrite.model=small")
    assert (status, done["model"]) == (0, "small")
    assert {request.body["model"] for request in server.requests} == {"small"}
    assert call("enrich", "--estimate", *ON)[1]["estimate"]["calls"] == 2, "another model is asked anew"


def test_a_persons_own_prompt_is_what_the_model_is_told(call: Call, server: Writer, tmp_path: Path) -> None:
    engine = connect(tmp_path / "store")
    OwnPrompts(engine).save("enrich_questions.en", "Ask like a child, {count} questions.\n---\n{shown}")
    engine.dispose()
    assert call("enrich", *ON)[0] == 0
    told = {request.body["messages"][0]["content"] for request in server.requests}
    assert "Ask like a child, 3 questions." in told
    assert len(told) == 2, "the Chinese document is asked about by the Chinese prompt"
