"""The page while an answer is written: a redraw goes on with it, and Stop ends it with what is there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from models.stopping import current
from retrievers import Filter
from settings import Settings
from tests.ui.fakes import FakeServices, FakeTurn
from tests.ui.pages import checked
from tests.ui.test_page import add, ask, press, quotes, said
from ui.answering import Answering

LIMIT = 10.0


class SlowTurn(FakeTurn):
    """Writes a word, and the rest when it is stopped or LIMIT seconds are over."""

    def stream(self, question: str, history: Sequence[Any] = (), **how: Any) -> Iterator[dict[str, Any]]:
        found, *_ = super().stream(question, history, **how)
        yield found
        yield {"event": "token", "text": "Thirty days"}
        current().pause(LIMIT)
        stopped = current().requested
        text = "Thirty days" if stopped else "Thirty days at most."
        answer = self._answer(question, found["retrieval"], text) | {"mode": "llm", "stopped": stopped}
        yield {"event": "answer", "answer": answer}


class SlowServices(FakeServices):
    turns = 0

    def open_turn(self, settings: Settings, bases: list[str], limits: Filter, own: Collection[str] = ()) -> FakeTurn:
        self.turns += 1
        made = SlowTurn if self.turns == 1 else FakeTurn
        return made(self, settings, bases, limits)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[SlowServices]:
    made = SlowServices(tmp_path)
    yield made
    made.close()


@pytest.fixture
def page(services: SlowServices) -> AppTest:
    def script(services):
        from ui import page

        page.show(services)

    opened = AppTest.from_function(script, kwargs={"services": services}, default_timeout=20)
    return add(checked(opened.run()), "terms.txt")


def pressed(monkeypatch: pytest.MonkeyPatch, *, redraws: int) -> None:
    """As a person does it while the page waits for words: it is drawn anew so many times, then Stop is pressed."""
    wait = Answering.wait
    waited: list[str] = []

    def waits(answering: Answering, seconds: float) -> bool:
        done = wait(answering, seconds)
        if answering.progress.text and not done:
            waited.append(answering.question)
            if len(waited) > redraws:
                answering.stop()
            else:
                st.rerun()
        return done

    monkeypatch.setattr(Answering, "wait", waits)


def test_a_stopped_answer_stays_is_marked_and_can_be_asked_again(
    page: AppTest, services: SlowServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed(monkeypatch, redraws=2)
    ask(page, "How long is the refund period?")
    assert "Thirty days" in said(page)
    assert "Stopped. What was written until then stays." in said(page)
    assert services.turns == 1, "a redraw goes on with the same answer"
    kept = [message for message in services.chats.messages(services.chats.conversations()[0].id) if message.role == "assistant"]
    assert [(message.text, (message.payload or {})["stopped"]) for message in kept] == [("Thirty days", True)]
    assert [key for key in (button.key or "" for button in page.button) if key.startswith("stop:")] == []

    again = next(button.key for button in page.button if (button.key or "").startswith("answer:"))
    press(page, str(again))
    assert "The refund period of terms.txt" in quotes(page)[0]
    assert "Stopped." not in said(page)
