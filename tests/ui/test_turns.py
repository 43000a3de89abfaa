"""Messages become turns even when answers come late, twice or never, and those of one branch only."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from store.chats import Message
from ui.turns import ChatTurn, history, question_of, turns


def user(number: int, text: str = "q", after: int | None = None) -> Message:
    return Message(number, "user", text, None, datetime(2026, 1, 1, tzinfo=UTC), after=after)


def answer(number: int, to: int, text: str = "a", **payload: Any) -> Message:
    return Message(number, "assistant", text, {"reply_to": to, **payload}, datetime(2026, 1, 1, tzinfo=UTC))


def pairs(found: list[ChatTurn]) -> list[tuple[int, str | None]]:
    return [(turn.question.id, turn.answer.text if turn.answer else None) for turn in found]


def test_two_questions_before_the_first_answer_keep_their_own_answers() -> None:
    found = turns([user(1), user(2, after=1), answer(3, to=2, text="second"), answer(4, to=1, text="first")])
    assert pairs(found) == [(1, "first"), (2, "second")]


def test_the_last_of_two_answers_is_shown_and_a_question_without_one_stays() -> None:
    found = turns([user(1), answer(2, to=1, text="old"), answer(3, to=1, text="new"), user(4, after=1)])
    assert pairs(found) == [(1, "new"), (4, None)]


def test_an_answer_to_nothing_is_left_out() -> None:
    assert turns([answer(1, to=9), Message(2, "assistant", "x", None, datetime(2026, 1, 1, tzinfo=UTC))]) == []


BRANCHED = [
    user(1, "German courses?"),
    answer(2, to=1, text="B1 [1]"),
    user(3, "它的价格呢？", after=1),
    answer(4, to=3, text="十元"),
    user(5, "And its length?", after=1),
    answer(6, to=5, text="Ten weeks"),
    user(7, "In days?", after=5),
]


def test_a_branch_has_its_own_questions_and_names_their_other_versions() -> None:
    old, new = turns(BRANCHED, 3), turns(BRANCHED)
    assert pairs(old) == [(1, "B1 [1]"), (3, "十元")]
    assert pairs(new) == pairs(turns(BRANCHED, 5)) == [(1, "B1 [1]"), (5, "Ten weeks"), (7, None)]
    assert [turn.versions for turn in new] == [(1,), (3, 5), (7,)]
    assert history(new) == [("human", "German courses?"), ("ai", "B1 [1]"), ("human", "And its length?"), ("ai", "Ten weeks")]


def test_a_message_leads_to_its_question() -> None:
    assert [question_of(BRANCHED, number) for number in (4, 5, 6, 99)] == [3, 5, 5, 99]


def test_history_leaves_out_refusals_errors_and_open_questions() -> None:
    messages = [
        user(1, "German courses?"),
        answer(2, to=1, text="B1 [1]"),
        user(3, "weather?", after=1),
        answer(4, to=3, text="", refused=True),
    ]
    messages += [user(5, after=3), answer(6, to=5, text="", error={"code": "x"}), user(7, after=5)]
    assert history(turns(messages)) == [("human", "German courses?"), ("ai", "B1 [1]")]
