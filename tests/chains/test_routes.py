"""Routes end to end, on a real base with the local embedder: what is searched, shown, quoted and answered by each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chains import Turn
from retrievers import Retriever
from tests.chains.conftest import Indexed
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

DOCUMENTS = {
    "annual leave.md": "# Annual leave\n\nEmployees get thirty days of annual leave a year, which are booked in the portal.\n",
    "sick leave.md": "# Sick leave\n\nDuring sick leave the wages are paid for six weeks, with a note of a doctor.\n",
    "canteen.md": "# Canteen\n\nThe canteen serves lunch from noon to two. Guests pay eight euros.\n",
    "parking.md": "# Parking\n\nCars park behind the building. The barrier opens with the badge.\n",
    "年假.md": "# 年假\n\n员工每年有三十天年假，在系统中申请。\n",
    "病假.md": "# 病假\n\n病假期间工资照发六周，需要医生证明。\n",
    "食堂.md": "# 食堂\n\n食堂中午十二点到两点供应午餐，访客付八欧元。\n",
}
COMPARED = {
    "What is the difference between annual leave and sick leave?": {"annual leave.md", "sick leave.md"},
    "年假和病假有什么区别？": {"年假.md", "病假.md"},
}
FOREIGN = ["What is the difference between penguins and polar bears?", "企鹅和北极熊有什么区别？"]


@pytest.fixture(scope="module")
def office(indexing: Callable[[], Indexed]) -> Indexed:
    made = indexing()
    made.add("default", DOCUMENTS)
    return made


def sources(answer: dict[str, Any]) -> set[str]:
    return {citation["source"] for citation in answer["citations"]}


@pytest.mark.parametrize("question", COMPARED)
def test_of_a_comparison_each_part_is_searched_and_quoted(office: Indexed, question: str) -> None:
    answer = office.ask(question)
    assert (answer["route"], answer["routing"]["why"], answer["refused"]) == ("complex", "parts", False)
    assert [query["kind"] for query in answer["queries"]] == ["original", "part", "part"]
    assert sources(answer) == COMPARED[question]
    assert len(answer["citations"]) == 2
    plain = office.ask(question, conversation__route="simple")
    assert [query["kind"] for query in plain["queries"]] == ["original"]


@pytest.mark.parametrize("question", COMPARED)
def test_where_no_passage_holds_all_of_it_the_evidence_of_a_part_counts(office: Indexed, question: str) -> None:
    plain = office.ask(question, conversation__route="simple")
    line = plain["evidence"] + 0.001
    assert office.ask(question, conversation__route="simple", retrieval__evidence_threshold=line)["refused"]
    answer = office.ask(question, retrieval__evidence_threshold=line)
    assert answer["evidence"] >= line
    assert not answer["refused"]
    (note,) = [note for note in answer["notes"] if note["code"] == "part_has_evidence"]
    assert note["params"]["parts"]


@pytest.mark.parametrize("question", FOREIGN)
def test_a_foreign_comparison_is_refused(office: Indexed, question: str) -> None:
    answer = office.ask(question)
    assert (answer["route"], answer["refused"], answer["reason"]["code"]) == ("complex", True, "weak_evidence")


def test_a_model_is_given_the_passages_of_all_parts(office: Indexed) -> None:
    written = "annual leave\nsick leave"
    with ModelServer(words=[written]) as server:
        answer = office.ask(next(iter(COMPARED)), chat_at(server))
        told = server.requests[-1].body["messages"][0]["content"]
    assert [query["text"] for query in answer["queries"][1:]] == written.splitlines()
    assert "thirty days of annual leave" in told
    assert "the wages are paid for six weeks" in told


def test_a_list_gets_more_passages_and_a_fact_as_many_as_are_set(office: Indexed) -> None:
    asked: dict[str, Any] = {"retrieval__depth": 200}
    lists, fact = (
        office.ask(question, **asked) for question in ("List all kinds of leave", "How many days of annual leave are there?")
    )
    assert (lists["route"], lists["routing"]["changes"]) == ("medium", {"retrieval.top_k": 12})
    assert (fact["route"], fact["routing"]["changes"]) == ("simple", {})
    three = office.ask("List all kinds of leave", retrieval__top_k=3)
    assert (len(three["contexts"]), three["routing"]["changes"]) == (3, {})
    turn = Turn(Retriever(office.stores), office.library.base("default"), office.settings, own=["retrieval.top_k"])
    assert turn.ask("List all kinds of leave")["routing"]["changes"] == {}, "set by hand to what it is anyway"


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Hello", "Hello! Ask me something about your documents."),
        ("你好", "你好！请提一个关于你的文档的问题。"),
        ("thanks a lot!", "You are welcome."),
        ("谢谢你", "不客气。"),
        ("Who are you?", "I look up passages in your documents"),
        ("你是谁？", "我在你的文档中查找段落"),
    ],
)
def test_small_talk_gets_a_few_words_and_asks_nobody(office: Indexed, message: str, reply: str) -> None:
    with ModelServer() as server:
        answer = office.ask(message, chat_at(server))
        assert server.requests == []
    assert answer["answer"].startswith(reply)
    assert (answer["route"], answer["refused"], answer["reason"]) == ("none", True, {"code": "small_talk", "params": {}})
    assert (answer["contexts"], answer["citations"], answer["stages"]) == ([], [], [])
    searched = office.ask(message, conversation__route="simple")
    assert searched["contexts"]


def test_one_call_decides_writes_out_and_takes_apart(office: Indexed) -> None:
    written = (
        '{"route": "complex", "reason": "two kinds", "question": "How long are annual leave and sick leave?", '
        '"parts": ["How many days of annual leave are there?", "For how long are wages paid during sick leave?"]}'
    )
    with ModelServer(words=[written]) as server:
        turn = office.turn(chat_at(server), conversation__route_by="model")
        answer = turn.ask("And both?", [("human", "How long is annual leave?"), ("ai", "Thirty days. [1]")])
        assert len(server.requests) == 2, "one for all that is prepared, one for the answer"
    assert answer["standalone_question"] == "How long are annual leave and sick leave?"
    assert (answer["standalone_by"], answer["routing"]["by"], answer["routing"]["params"]) == (
        "by_model",
        "model",
        {"reason": "two kinds"},
    )
    assert [query["kind"] for query in answer["queries"]] == ["original", "part", "part"]
    assert {context["source"] for context in answer["contexts"][:2]} == {"annual leave.md", "sick leave.md"}
    assert [stage["name"] for stage in answer["stages"][:1]] == ["route"]
    assert {each["prompt"] for each in answer["prompts"]} >= {"route.en", "answer.en"}


def test_what_a_person_wrote_out_is_searched_for_and_answered(office: Indexed) -> None:
    history = [("human", "How long is annual leave?"), ("ai", "Thirty days. [1]")]
    answer = office.turn().ask("And that?", history, standalone="How long are wages paid during sick leave?")
    assert (answer["question"], answer["standalone_by"]) == ("And that?", "by_person")
    assert answer["standalone_question"] == "How long are wages paid during sick leave?"
    assert sources(answer) == {"sick leave.md"}
    assert office.turn().ask("And that?", history, standalone="And that?")["standalone_by"] == "as_asked"
