"""`python -m chains`: the JSON it prints and its exit status, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from chains.__main__ import main
from ingest.__main__ import main as ingest
from retrievers.__main__ import main as retrieve
from tests.chains.conftest import Indexed
from tests.models.endpoints import KEY
from tests.servers import ModelServer

ROOT = Path(__file__).parents[2]
KEYS = {
    *("query", "queries", "contexts", "weights", "base_weights", "evidence", "dropped", "stages", "notes"),
    *(
        "question",
        "standalone_question",
        "standalone_by",
        "route",
        "routing",
        "prompts",
        "mode",
        "answer",
        "refused",
        "reason",
        "citations",
        "usage",
        "cached",
        "error",
        "stopped",
        "grounding",
        "withheld",
    ),
}
CITATION = {"n", "chunk_id", "doc_id", "source", "page", "start", "end", "quote", "sheet", "rows", "edited"}


def test_a_process_prints_one_line_of_json_with_the_answer(indexed: Indexed) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chains", "Python 是谁在什么时候创建的？".encode() + b"\xff", "--json", "--k", "3"],
        cwd=ROOT,
        env=os.environ | {"GLASSBOX_STORE__DIR": str(indexed.folder), "PYTHONUTF8": "1"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr.decode(), done.stdout.count(b"\n")) == (0, "", 1)
    answer = json.loads(done.stdout)
    assert set(answer) == KEYS
    assert len(answer["contexts"]) == 3
    assert answer["citations"][0]["source"] == "python 历史.md"
    assert all(set(citation) == CITATION for citation in answer["citations"])
    assert answer["question"] == "Python 是谁在什么时候创建的？\ufffd", "an argument may be no UTF-8"
    assert "吉多" in done.stdout.decode(), "not escaped"


def test_a_model_and_a_history_file(
    indexed: Indexed, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history = tmp_path / "history.json"
    history.write_text(
        json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]), encoding="utf-8"
    )
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(words=["Guido van Rossum [1]."]) as server:
        model = {"llm.provider": "openai", "llm.model": "m", "llm.base_url": server.base_url, "store.dir": str(indexed.folder)}
        model |= {"conversation.standalone": "false"}
        options = [part for name, value in model.items() for part in ("--set", f"{name}={value}")]
        assert main(["Who created Python?", "--history", str(history), *options]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == "Guido van Rossum [1]."
    assert [message["content"] for message in server.requests[0].body["messages"][1:]] == ["Hi", "Hello", "Who created Python?"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


WRONG = [
    (["--json"], "required: question"),
    (["q", "--json", "--nonsense"], "unrecognized arguments: --nonsense"),
    (["q", "--json", "--k", "many"], "invalid int value: 'many'"),
    (["q", "--json", "--k", "0"], "retrieval.top_k"),
    (["q", "--json", "--kb", "nowhere"], "no knowledge base 'nowhere'. Bases: default"),
    (["q", "--json", "--set", "retrieval.top_q=3"], "retrieval.top_q is no setting"),
    (["q", "--json", "--set", "nonsense"], "'nonsense' is no assignment"),
    (["q", "--json", "--history", "/nowhere.json"], "/nowhere.json is no history"),
    (["q", "--json", "--set", "llm.provider=openai"], "model must be set as well"),
    (["q", "--json", "--set", "store.dir=/dev/null/x"], "/dev/null/x"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_use_is_an_error_as_json(
    indexed: Indexed,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(indexed.folder))
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    found: dict[str, Any] = json.loads(out)
    assert list(found) == ["error"]
    assert message in found["error"]
    assert err == ""


@pytest.mark.parametrize("command_line", [main, retrieve])
@pytest.mark.parametrize("question", ["", " ", "\n\t\u3000"])
def test_an_empty_question_is_wrong_use(
    command_line: Callable[[Sequence[str]], int],
    question: str,
    indexed: Indexed,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(indexed.folder))
    assert command_line([question, "--json"]) == 2
    assert "is empty. Ask something" in json.loads(capsys.readouterr().out)["error"]


def test_without_json_the_error_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: the following arguments are required: question; usage: python -m chains")


@pytest.mark.parametrize("command_line", [main, retrieve, ingest])
def test_the_three_command_lines_fail_alike(
    command_line: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line(["--json"]) == 2
    out, err = capsys.readouterr()
    assert "required" in json.loads(out)["error"]
    assert err == ""
