"""Batches: answers in the order of the questions, some at the same time, whole again after an interruption; and Turn's async."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chains.__main__ import main
from chains.batch import AHEAD, Batch
from chains.questions import read_batch
from tests.chains.conftest import Indexed
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

ROOT = Path(__file__).parents[2]
QUESTIONS = ["Who created Python?", "常见的向量数据库有哪些？", "What is a prime number?", "What is RAG?"]
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def store(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(indexed.folder))


def written(folder: Path, *lines: str, name: str = "questions.txt") -> Path:
    file = folder / name
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def options(server: ModelServer) -> list[str]:
    settings = {
        "llm.provider": "openai",
        "llm.model": "m",
        "llm.base_url": server.base_url,
        "llm.timeout_seconds": 5,
    }
    return [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]


def test_each_question_has_its_line_in_their_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = written(tmp_path, *QUESTIONS[:2], "", *QUESTIONS[2:], ""), tmp_path / "out.jsonl"
    assert main(["--batch", str(file), "--out", str(out), "--json"]) == 0
    lines = lines_of(out.read_text(encoding="utf-8"))
    assert [line["question"] for line in lines] == QUESTIONS
    assert [line["line"] for line in lines] == [1, 2, 4, 5], "of the file, in which an empty line asks nothing"
    assert [line["status"] for line in lines] == ["answered", "answered", "refused", "answered"]
    assert "Milvus" in lines[1]["answer"]
    assert lines[0]["citations"]
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert {name: summary[name] for name in ("questions", "answered", "refused", "failed", "skipped", "failures")} == {
        "questions": 4,
        "answered": 3,
        "refused": 1,
        "failed": 0,
        "skipped": 0,
        "failures": [],
    }
    assert [line.partition(",")[0] for line in said.err.splitlines()][2] == "line 4 of 4: refused"
    assert QUESTIONS[1] in said.err


def test_without_a_file_for_them_answers_go_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, *QUESTIONS[:2])
    assert main(["--batch", str(file), "--json"]) == 0
    said = capsys.readouterr()
    assert [line["question"] for line in lines_of(said.out)] == QUESTIONS[:2]
    assert json.loads(said.err.splitlines()[-1])["answered"] == 2


def test_json_lines_have_histories_and_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = [{"role": "user", "content": "Who created Python?"}, {"role": "assistant", "content": "Guido van Rossum."}]
    asked = {"id": "q-7", "question": "And in which year?", "history": history}
    file = written(tmp_path, json.dumps(asked), json.dumps({"question": "你好吗"}), name="questions.jsonl")
    assert main(["--batch", str(file)]) == 0
    first, second = lines_of(capsys.readouterr().out)
    assert first["id"] == "q-7"
    assert "Python" in first["standalone_question"]
    assert "id" not in second


@pytest.mark.parametrize(
    "line", ['{"question": ', "{}", '{"question": 7}', '{"question": " "}', "[" * 5000, '{"question": "x", "history": [1]}']
)
def test_a_line_that_is_no_question_fails_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    file = written(tmp_path, json.dumps({"question": QUESTIONS[0]}), line, json.dumps({"question": QUESTIONS[1]}), name="q.jsonl")
    assert main(["--batch", str(file)]) == 1
    said = capsys.readouterr()
    lines = lines_of(said.out)
    assert [each["status"] for each in lines] == ["answered", "failed", "answered"]
    assert lines[1]["error"]["code"] == "no_question"
    assert json.loads(said.err.splitlines()[-1])["failures"][0]["line"] == 2


def test_a_model_that_fails_for_one_question_is_told_and_the_others_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said_of_python = "Guido van Rossum created Python [1]."
    file = written(tmp_path, "Who created Python?", "When was Python created?", "Which person created Python?")
    with ModelServer(words=[said_of_python], failure="unauthorized", times=1) as server:
        assert main(["--batch", str(file), "--at-once", "1", "--anew", *options(server)]) == 1
    said = capsys.readouterr()
    first, *others = lines_of(said.out)
    assert (first["mode"], first["error"]["code"]) == ("extractive", "key_refused")
    assert [each["answer"] for each in others] == [said_of_python] * 2
    summary = json.loads(said.err.splitlines()[-1])
    assert [each["line"] for each in summary["failures"]] == [1]
    assert summary["usage"]["calls"] == 3


def test_a_base_that_fails_for_one_question_does_not_end_the_others(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = indexed.turn()
    whole = turn.stream

    def sometimes(question: str, *rest: Any, **more: Any) -> Any:
        if "RAG" in question:
            raise RuntimeError("lance error: the disk is gone")
        return whole(question, *rest, **more)

    monkeypatch.setattr(turn, "stream", sometimes)
    lines: list[dict[str, Any]] = []
    asked = read_batch(written(indexed.folder, *QUESTIONS, name="some.txt"))
    tally = Batch(turn, at_once=2).run(asked, lines.append)
    assert [line["status"] for line in lines] == ["answered", "answered", "refused", "failed"]
    assert tally.failures == [{"line": 4, "status": "failed", "code": "failed", "reason": "lance error: the disk is gone"}]


# --- some at the same time ------------------------------------------------------------------------------------------------------


class Watched:
    """A turn that tells how many questions it answers at the same time; the one with "slow" in it waits for the others."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.asked: list[str] = []
        self.go, self.full = asyncio.Event(), asyncio.Event()

    async def aask(self, question: str, history: Any = (), *, anew: bool = False) -> dict[str, Any]:
        self.asked.append(question)
        if len(self.asked) == AHEAD * 2:
            self.full.set()
        self.now += 1
        self.most = max(self.most, self.now)
        if "slow" in question:
            await asyncio.wait_for(self.go.wait(), PATIENCE)
        for _ in range(3):
            await asyncio.sleep(0)
        self.now -= 1
        return {"question": question, "answer": "x", "refused": False}


async def test_no_more_than_so_many_are_answered_at_the_same_time(tmp_path: Path) -> None:
    turn = Watched()
    asked = read_batch(written(tmp_path, *(f"question {n}" for n in range(30))))
    lines = [line async for line in Batch(turn, at_once=3).answers(asked)]  # type: ignore[arg-type]
    assert turn.most == 3
    assert [line["line"] for line in lines] == list(range(1, 31))


async def test_a_slow_question_holds_up_no_more_than_a_few_others(tmp_path: Path) -> None:
    turn = Watched()
    asked = read_batch(written(tmp_path, "the slow one", *(f"question {n}" for n in range(30))))
    answers = Batch(turn, at_once=2).answers(asked)  # type: ignore[arg-type]
    first = asyncio.ensure_future(anext(answers))
    await asyncio.wait_for(turn.full.wait(), PATIENCE)
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(turn.asked) == AHEAD * 2, "what is answered ahead waits in memory, so there is an end to it"
    turn.go.set()
    assert (await first)["question"] == "the slow one"
    assert len([line async for line in answers]) == 30


# --- interrupted ----------------------------------------------------------------------------------------------------------------


def test_what_is_there_is_not_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = written(tmp_path, *QUESTIONS), tmp_path / "out.jsonl"
    with ModelServer(words=["Yes [1]."]) as server:
        call = ["--batch", str(file), "--out", str(out), "--anew", "--json", *options(server)]
        assert main(call) == 0
        whole = out.read_text(encoding="utf-8").splitlines(keepends=True)
        asked = len(server.requests)
        out.write_text("".join([*whole[:2], whole[3][:40]]), encoding="utf-8")  # killed in the middle of a line
        assert main(call) == 0
        again = out.read_text(encoding="utf-8").splitlines(keepends=True)
        assert again[:2] == whole[:2]
        assert [json.loads(line)["line"] for line in again] == [1, 2, 3, 4]
        assert len(server.requests) == asked + 1, "one of the two is refused before the model is asked"
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["skipped"] == 2
        assert main(call) == 0
        assert out.read_text(encoding="utf-8").splitlines(keepends=True) == again


@pytest.mark.parametrize("held", ['{"line": 1, "question": "Something else?"}\n', "my notes\n", "[1]\n"])
def test_a_file_of_other_answers_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str], held: str) -> None:
    file, out = written(tmp_path, *QUESTIONS), tmp_path / "out.jsonl"
    out.write_text(held, encoding="utf-8")
    assert main(["--batch", str(file), "--out", str(out), "--json"]) == 2
    assert "Name another file with --out" in json.loads(capsys.readouterr().out)["error"]
    assert out.read_text(encoding="utf-8") == held


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_batch_keeps_what_is_answered_and_says_how_to_go_on(indexed: Indexed, tmp_path: Path) -> None:
    file, out = written(tmp_path, *QUESTIONS[:2]), tmp_path / "out.jsonl"
    with ModelServer(words=["word "] * 400, pause=0.02) as server:
        call = [
            sys.executable,
            "-m",
            "chains",
            "--batch",
            str(file),
            "--out",
            str(out),
            "--at-once",
            "1",
            "--anew",
            *options(server),
        ]
        process = subprocess.Popen(call, cwd=ROOT, env=os.environ | {"PYTHONUTF8": "1"}, stderr=subprocess.PIPE, text=True)
        with process:
            until(lambda: server.requests)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "interrupted; the same command goes on from here" in said
    assert "Traceback" not in said
    assert out.read_text(encoding="utf-8") == ""
    assert len(server.requests) == 1


def until(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


WRONG = [
    (["--at-once", "0"], "--at-once must be 1 to 32"),
    (["--history", "h.json"], "Leave out --history"),
    (["a question"], "not allowed with argument"),
]


@pytest.mark.parametrize(("more", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_use_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], said: str) -> None:
    assert main(["--batch", str(written(tmp_path, "x")), "--json", *more]) == 2
    assert said in json.loads(capsys.readouterr().out)["error"]


def test_a_file_that_is_not_there_or_not_utf8_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--batch", str(tmp_path / "nowhere.txt"), "--json"]) == 2
    assert "nowhere.txt" in json.loads(capsys.readouterr().out)["error"]
    (tmp_path / "gbk.txt").write_bytes("退款期限".encode("gbk"))
    assert main(["--batch", str(tmp_path / "gbk.txt"), "--json"]) == 2
    assert "Save it as UTF-8" in json.loads(capsys.readouterr().out)["error"]


# --- Turn, asynchronously -------------------------------------------------------------------------------------------------------


async def test_a_question_asked_asynchronously_has_the_same_answer(indexed: Indexed) -> None:
    turn = indexed.turn()
    answer, other = await asyncio.gather(turn.aask(QUESTIONS[0]), turn.aask(QUESTIONS[1]))
    for asked, found in ((QUESTIONS[0], answer), (QUESTIONS[1], other)):
        assert (found["answer"], found["citations"]) == (turn.ask(asked)["answer"], turn.ask(asked)["citations"])


async def test_events_come_asynchronously_in_the_same_order(indexed: Indexed) -> None:
    with ModelServer(words=["Milvus ", "[1]."]) as server:
        turn = indexed.turn(chat_at(server))
        events = [event async for event in turn.astream("Which vector databases are common?")]
    assert [event["event"] for event in events] == ["retrieved", "token", "token", "answer"]
    assert events[-1]["answer"]["usage"]["calls"] == 1


async def test_an_asynchronous_answer_that_is_cancelled_lets_go_of_the_server(indexed: Indexed) -> None:
    with ModelServer(words=["word "] * 2000, pause=0.01) as server:
        begun = asyncio.Event()

        async def read() -> None:
            async for event in indexed.turn(chat_at(server)).astream("Which vector databases are common?"):
                if event["event"] == "token":
                    begun.set()

        task = asyncio.create_task(read())
        await asyncio.wait_for(begun.wait(), PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.abandoned.wait, 5)


@pytest.mark.parametrize(("data", "reason"), [(b"", "no question in it"), (b" \n\n", "no question in it"), (b"\xff", "UTF-8")])
def test_a_file_without_a_question_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, reason: str
) -> None:
    file, out = tmp_path / "questions.txt", tmp_path / "out.jsonl"
    file.write_bytes(data)
    assert main(["--batch", str(file), "--out", str(out), "--json"]) == 2
    assert reason in json.loads(capsys.readouterr().out)["error"]
    assert not out.exists()
