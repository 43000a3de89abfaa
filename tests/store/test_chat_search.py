"""The search over conversations, in English and Chinese, and the list of rated answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.chat_search import Found, Hit, search
from store.chats import Chats
from store.database import connect


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Chats]:
    engine = connect(tmp_path)
    yield Chats(engine)
    engine.dispose()


def talk(chats: Chats, question: str, answer: str) -> tuple[str, int]:
    """The ids of the conversation and of the answer."""
    conversation = chats.create("a")
    asked = chats.add(conversation.id, "user", question)
    return conversation.id, chats.add(conversation.id, "assistant", answer, payload={"reply_to": asked.id}).id


def words(hit: Hit) -> list[str]:
    return [hit.text[start:end] for start, end in hit.spans]


def titles(found: list[Found]) -> list[str]:
    return [each.conversation.title for each in found]


def test_every_word_must_stand_somewhere_in_the_conversation(chats: Chats) -> None:
    talk(chats, "What is the refund period?", "It is thirty days [1].")
    talk(chats, "Who pays for the refund?", "We do.")
    (found,) = search(chats, "refund THIRTY")
    assert found.conversation.title == "What is the refund period?"
    assert {(hit.kind, *words(hit)) for hit in found.hits} == {
        ("title", "refund"),
        ("question", "refund"),
        ("answer", "thirty"),
    }
    assert len(search(chats, "refund")) == 2
    assert search(chats, "refund elephant") == []


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("退款", ["退款"]),
        ("退款的期限", ["退款", "期限"]),
        ("什么是期限", ["期限"]),
        ("erp审批", ["ERP", "审批"]),
        ("３０", ["30"]),
        ("手机", ["手机"]),
        ("手機", ["手机"]),
        ("系統審批", ["系统审批"]),
        ("為什麼退款", ["退款"]),
    ],
)
def test_chinese_is_found_without_blanks_and_inside_of_longer_words(chats: Chats, query: str, marked: list[str]) -> None:
    talk(chats, "新手机", "退款期限为30天，由ERP系统审批。")
    talk(chats, "天气怎么样？", "没有找到。")
    (found,) = search(chats, query)
    assert sorted(words(found.hits[-1])) == sorted(marked)


@pytest.mark.parametrize("query", ["后台数据库", "後台數據庫", "後台数据庫"])
def test_either_script_finds_the_other_at_its_very_place(chats: Chats, query: str) -> None:
    talk(chats, "備份", "請在後台數據庫中設定。")
    (found,) = search(chats, query)
    assert [words(hit) for hit in found.hits] == [["後台數據庫"]]


@pytest.mark.parametrize("query", ["refunds", "refunded", "Refund?", "“refund”", "the refund", "ｒｅｆｕｎｄ"])
def test_other_forms_marks_and_stop_words_do_not_hide_a_word(chats: Chats, query: str) -> None:
    talk(chats, "On the REFUND of deliveries", "x")
    (found,) = search(chats, query)
    assert words(found.hits[0]) == ["REFUND"]


def test_an_ending_that_changes_is_marked_with_its_word(chats: Chats) -> None:
    talk(chats, "On deliveries", "x")
    assert words(search(chats, "delivery")[0].hits[0]) == ["deliveries"]


@pytest.mark.parametrize("query", ["C++", "a.b*c", "[x](y)", "50%", "it's", "?!"])
def test_signs_are_looked_for_as_they_are(chats: Chats, query: str) -> None:
    talk(chats, f"About {query} here", "x")
    talk(chats, "Nothing of it", "y")
    assert titles(search(chats, query)) == [f"About {query} here"]


@pytest.mark.parametrize("query", ["", "  ", "\u3000"])
def test_an_empty_query_finds_nothing(chats: Chats, query: str) -> None:
    talk(chats, "q", "a")
    assert search(chats, query) == []


def test_the_text_with_most_words_comes_first(chats: Chats) -> None:
    talk(chats, "refund", "The refund period is thirty days.")
    (found,) = search(chats, "refund period")
    assert found.hits[0].kind == "answer"


def test_rated_answers_are_listed_and_searched_with_their_comments(chats: Chats) -> None:
    _, good = talk(chats, "One?", "First answer")
    _, bad = talk(chats, "Two?", "Second answer")
    talk(chats, "Three?", "Third answer")
    chats.ratings.rate(good, "up")
    chats.ratings.rate(bad, "down")
    chats.ratings.comment(bad, "页码不对")
    (found,) = search(chats, "", rated="up")
    assert [(hit.kind, hit.text, hit.thumb, hit.message_id) for hit in found.hits] == [("answer", "First answer", "up", good)]
    assert titles(search(chats, "", rated="down")) == titles(search(chats, "", rated="comment")) == ["Two?"]
    assert [hit.kind for hit in search(chats, "页码")[0].hits] == ["comment"]
    assert titles(search(chats, "页码", rated="down")) == ["Two?"]
    assert search(chats, "First", rated="down") == []


def test_what_is_found_stands_in_the_order_of_the_conversations(chats: Chats) -> None:
    first, _ = talk(chats, "refund one", "a")
    talk(chats, "refund two", "a")
    assert titles(search(chats, "refund")) == ["refund two", "refund one"]
    chats.pin(first, True)
    assert titles(search(chats, "refund")) == ["refund one", "refund two"]
