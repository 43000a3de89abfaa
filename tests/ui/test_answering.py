"""An answer in the making: it goes on while the page is drawn anew, it is kept whatever happens, and it can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from models.stopping import current
from ui.answering import Answering

FOUND = {"event": "retrieved", "retrieval": {"contexts": [{"text": "x"}]}}
LIMIT = 10.0


def made(*events: dict[str, Any], kept: list[dict[str, Any]], gate: threading.Event | None = None) -> Answering:
    """One that gives these events, and waits at the gate before the last."""

    def begin() -> Iterator[dict[str, Any]]:
        yield from events[:-1]
        if gate:
            gate.wait(LIMIT)
        yield events[-1]

    return Answering("Why?", begin, kept.append, str)  # type: ignore[arg-type]


def test_its_progress_is_seen_while_it_goes_on_and_its_answer_is_kept_once() -> None:
    kept: list[dict[str, Any]] = []
    gate = threading.Event()
    answer = {"event": "answer", "answer": {"answer": "Because.", "refused": False}}
    answering = made(FOUND, {"event": "token", "text": "Be"}, {"event": "token", "text": "cause."}, answer, kept=kept, gate=gate)
    answering.start()
    while answering.progress.text != "Because.":
        assert not answering.wait(0.01)
    assert (answering.progress.found, kept) == (FOUND["retrieval"], [])
    gate.set()
    assert answering.wait(LIMIT)
    assert kept == [{"question": "Why?", "answer": "Because.", "refused": False, "contexts": [{"text": "x"}], "citations": []}]


def test_words_that_were_a_thought_are_gone_from_its_progress() -> None:
    thought, said = {"event": "token", "text": "They want"}, {"event": "token", "text": "", "anew": True}
    answering = made(FOUND, thought, said, {"event": "token", "text": "Because"}, {"event": "answer", "answer": {}}, kept=[])
    assert answering.start().wait(LIMIT)
    assert answering.progress.text == "Because"


def test_an_unexpected_failure_is_an_answer_that_names_it_with_what_was_there() -> None:
    kept: list[dict[str, Any]] = []

    def begin() -> Iterator[dict[str, Any]]:
        yield FOUND
        yield {"event": "token", "text": "Be"}
        raise RuntimeError("The base is gone.")

    assert Answering("Why?", begin, kept.append, str).start().wait(LIMIT)  # type: ignore[arg-type]
    assert kept[0]["error"] == {"code": "unexpected", "params": {"detail": "The base is gone."}}
    assert (kept[0]["answer"], kept[0]["contexts"]) == ("Be", [{"text": "x"}])


def test_an_answer_that_cannot_be_kept_is_told_and_the_thread_ends() -> None:
    told: list[str] = []

    def keep(_: dict[str, Any]) -> None:
        raise OSError("The disk is full.")

    def explain(error: Exception) -> str:
        told.append(str(error))
        return str(error)

    answering = Answering("Why?", lambda: (each for each in [FOUND]), keep, explain).start()
    assert answering.wait(LIMIT)
    assert told == [answering.failure] == ["The disk is full."]


def test_a_stop_reaches_what_answers() -> None:
    kept: list[dict[str, Any]] = []

    def begin() -> Iterator[dict[str, Any]]:
        current().pause(LIMIT)
        yield {"event": "answer", "answer": {"answer": "", "stopped": current().requested}}

    answering = Answering("Why?", begin, kept.append, str).start()  # type: ignore[arg-type]
    answering.stop()
    assert answering.wait(LIMIT)
    assert kept[0]["stopped"]
