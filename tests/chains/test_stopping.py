"""Stopping an answer, against a real server: what is written stays, the connection goes, and no thread is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chains import Turn
from models.stopping import Stop, stoppable
from tests.chains.conftest import Indexed
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

QUESTION = "Which vector databases are common?"
SOON = 5.0
"""Seconds in which a thread that was told to stop is gone; the endpoints below would hang for longer."""


class Asked:
    """A question that is answered in a thread of its own, as the page does it."""

    def __init__(self, turn: Turn) -> None:
        self.stop, self.words, self.answer, self._turn = Stop(), "", dict[str, Any](), turn
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        with stoppable(self.stop):
            for event in self._turn.stream(QUESTION):
                self.words += event.get("text", "")
                self.answer = event.get("answer", self.answer)

    def stopped(self) -> dict[str, Any]:
        """The answer after a stop."""
        self.stop.request()
        self.thread.join(SOON)
        assert not self.thread.is_alive()
        return self.answer


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.005)


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    until(lambda: all("process_request" in each.name for each in set(threading.enumerate()) - before))  # the server's own


def test_what_was_written_stays_with_its_citations_and_the_server_is_let_go(indexed: Indexed) -> None:
    words = ["Common ones are Milvus ", "and Qdrant [1]. ", *["And so on, "] * 2000]
    with ModelServer(words=words, pause=0.005) as server:
        asked = Asked(indexed.turn(chat_at(server)))
        until(lambda: "And so on" in asked.words)
        answer = asked.stopped()
        assert server.abandoned.wait(SOON)
    assert answer["stopped"]
    assert answer["answer"].startswith("Common ones are Milvus and Qdrant [1].")
    assert (answer["mode"], answer["refused"], answer["error"]) == ("llm", False, None)
    assert [citation["n"] for citation in answer["citations"]] == [1]
    assert answer["grounding"]["sentences"][0]["status"] == "supported"
    assert answer["grounding"]["sentences"][-1]["status"] == "unchecked", "the last sentence has no end"
    assert answer["contexts"]


@pytest.mark.parametrize("failure", ["hang", "hang_midway", "keep_alive"])
def test_a_server_that_hangs_is_not_waited_for(indexed: Indexed, failure: str) -> None:
    with ModelServer(words=["Milvus [1]", " and more"], failure=failure) as server:
        asked = Asked(indexed.turn(chat_at(server, timeout_seconds=60)))
        until(lambda: asked.words if failure != "hang" else server.requests)
        answer = asked.stopped()
        assert len(server.requests) == 1
        assert not server.outlasted.is_set()
    assert (answer["stopped"], answer["error"]) == (True, None)
    assert answer["answer"] == ("" if failure == "hang" else "Milvus [1]")


def test_a_pause_before_the_next_attempt_ends_too(indexed: Indexed) -> None:
    with ModelServer(failure="rate_limit", retry_after="20") as server:
        asked = Asked(indexed.turn(chat_at(server, timeout_seconds=60)))
        until(lambda: server.requests)
        answer = asked.stopped()
        assert len(server.requests) == 1
    assert (answer["stopped"], answer["answer"]) == (True, "")


def test_a_stop_before_the_model_is_asked_asks_nothing(indexed: Indexed) -> None:
    with ModelServer() as server:
        stop = Stop()
        stop.request()
        with stoppable(stop):
            answer = indexed.turn(chat_at(server)).ask(QUESTION)
        assert server.requests == []
    assert (answer["stopped"], answer["answer"], bool(answer["contexts"])) == (True, "", True)


def test_the_next_question_is_answered_as_ever(indexed: Indexed) -> None:
    with ModelServer(words=["Milvus and Qdrant [1]."], failure="hang", times=1) as server:
        model = chat_at(server, timeout_seconds=60)
        asked = Asked(indexed.turn(model))
        until(lambda: server.requests)
        asked.stopped()
        answer = indexed.ask(QUESTION, model)
    assert (answer["stopped"], answer["answer"]) == (False, "Milvus and Qdrant [1].")
