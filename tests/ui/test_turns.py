"""Messages become turns even when answers come late, twice or never."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from store.chats import Message
from ui.turns import history, turns


def user(number: int, text: str = "q") -> Message:
    return Message(number, "user", text, None, datetime(2026, 1, 1, tzinfo=UTC))


def answer(number: int, to: int, text: str = "a", **payload: Any) -> Message:
    return Message(number, "assistant", text, {"reply_to": to, **payload}, datetime(2026, 1, 1, tzinfo=UTC))


def test_two_questions_before_the_first_answer_keep_their_own_answers() -> None:
    found = turns([user(1), user(2), answer(3, to=2, text="second"), answer(4, to=1, text="first")])
    assert [(turn.question.id, turn.answer.text if turn.answer else None) for turn in found] == [(1, "first"), (2, "second")]


def test_the_last_of_two_answers_is_shown_and_a_question_without_one_stays() -> None:
    found = turns([user(1), answer(2, to=1, text="old"), answer(3, to=1, text="new"), user(4)])
    assert [turn.answer.text if turn.answer else None for turn in found] == ["new", None]


def test_an_answer_to_nothing_is_left_out() -> None:
    assert turns([answer(1, to=9), Message(2, "assistant", "x", None, datetime(2026, 1, 1, tzinfo=UTC))]) == []


def test_history_leaves_out_refusals_errors_and_open_questions() -> None:
    messages = [
        user(1, "German courses?"),
        answer(2, to=1, text="B1 [1]"),
        user(3, "weather?"),
        answer(4, to=3, text="", refused=True),
    ]
    messages += [user(5), answer(6, to=5, text="", error={"code": "x"}), user(7)]
    assert history(turns(messages)) == [("human", "German courses?"), ("ai", "B1 [1]")]
