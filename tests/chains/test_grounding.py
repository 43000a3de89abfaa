"""Answers held against their passages, through the whole pipeline: what supports a sentence, what is marked, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chains.conftest import DOCUMENTS, Indexed
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

QUESTION = "Who created Python and when?"
CHINESE = "Python 是谁在什么时候创建的？"


def said(
    indexed: Indexed, words: str, question: str = QUESTION, *, then: str = "", refuse_below: float = 0, **changes: Any
) -> dict[str, Any]:
    """The answer when a model says just these words, and `then` those when it is asked once more."""
    with ModelServer(words=[words], then=[then] if then else ()) as server:
        return indexed.turn(chat_at(server), answer__grounding__refuse_below=refuse_below, **changes).ask(question)


def statuses(answer: dict[str, Any]) -> list[str]:
    return [each["status"] for each in answer["grounding"]["sentences"]]


def missed(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(miss["kind"], miss["text"]) for each in answer["grounding"]["sentences"] for miss in each["misses"]]


@pytest.fixture(scope="session")
def english(indexed: Indexed) -> str:
    """A base with the English documents alone."""
    indexed.add("english", {name: text for name, text in DOCUMENTS.items() if name.isascii()})
    return "english"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (QUESTION, "Guido van Rossum created Python at CWI in Amsterdam."),
        (QUESTION, "Guido van Rossum made the language; its first version came out in February 1991."),
        (QUESTION, "He started over Christmas 1989 and published the first version in February 1991."),
        (QUESTION, "- **Creator:** Guido van Rossum\n- **First version:** February 1991"),
        (CHINESE, "Python 由吉多·范罗苏姆创建，第一个版本于1991年2月发布。"),
        (CHINESE, "吉多·范罗苏姆在一九八九年圣诞节期间开始编写 Python。"),
    ],
)
def test_what_the_passages_say_is_supported(indexed: Indexed, question: str, words: str) -> None:
    answer = said(indexed, words, question)
    assert set(statuses(answer)) == {"supported"}
    assert missed(answer) == []
    assert answer["grounding"]["score"] == 1.0


@pytest.mark.parametrize(
    ("question", "words", "wrong"),
    [
        (QUESTION, "Guido van Rossum published the first version in February 1992.", ("date", "February 1992")),
        (QUESTION, "He began it over the Christmas holidays of 1988.", ("number", "1988")),
        (QUESTION, "Python is a programming language that James Gosling created at CWI in Amsterdam.", ("name", "James Gosling")),
        (QUESTION, "Guido van Rossum created Python at CWI in Rotterdam.", ("name", "Rotterdam")),
        (CHINESE, "他在1988年圣诞节假期开始编写，1991年2月发布了第一个版本。", ("number", "1988年")),
        (CHINESE, "Python 是一种编程语言，由詹姆斯·高斯林在阿姆斯特丹创建。", ("name", "詹姆斯")),
    ],
)
def test_another_number_or_name_is_marked(indexed: Indexed, question: str, words: str, wrong: tuple[str, str]) -> None:
    answer = said(indexed, words, question)
    assert statuses(answer) == ["unsupported"]
    assert wrong in missed(answer)
    assert answer["grounding"]["score"] == 0


def test_a_number_of_another_sentence_does_not_stand_in_for_the_right_one(indexed: Indexed) -> None:
    answer = said(indexed, "Python 3.0 followed in December 2000 and was not fully compatible with what came before.")
    assert missed(answer) == [("date", "December 2000")]
    answer = said(indexed, "Python 2.0 came in 2008 with list comprehensions and a garbage collector for cycles.")
    assert missed(answer) == [("number", "2008")]
    assert answer["grounding"]["sentences"][0]["misses"][0]["instead"] == "2000"


@pytest.mark.parametrize(
    ("question", "words"),
    [(QUESTION, "The refund period for coffee machines is generous."), (CHINESE, "退货期限由客户服务部门决定，通常比较宽松。")],
)
def test_what_is_about_something_else_is_marked(indexed: Indexed, question: str, words: str) -> None:
    answer = said(indexed, words, question)
    assert statuses(answer) == ["unsupported"]
    assert answer["grounding"]["sentences"][0]["links"] == []


def test_a_sentence_is_linked_to_the_words_that_support_it(indexed: Indexed) -> None:
    answer = said(indexed, "Guido van Rossum created Python. It is named after a British comedy group.")
    for sentence, words in zip(answer["grounding"]["sentences"], ("Guido van Rossum", "British comedy group"), strict=True):
        link = sentence["links"][0]
        context = answer["contexts"][link["n"] - 1]
        quote = context["text"][link["start"] - context["start"] : link["end"] - context["start"]]
        assert (context["chunk_id"], words in quote) == (link["chunk_id"], True)
        assert answer["answer"][sentence["start"] : sentence["end"]].endswith(".")


def test_a_sentence_that_cites_the_wrong_passage_says_so(indexed: Indexed) -> None:
    found = indexed.ask(QUESTION)["contexts"]
    other = next(n for n, context in enumerate(found, start=1) if context["source"] == "vectors.md")
    right = next(n for n, context in enumerate(found, start=1) if context["source"] == "python.md")
    answer = said(indexed, f"Guido van Rossum created Python [{other}]. He did it at CWI [{right}].")
    first, second = answer["grounding"]["sentences"]
    assert (first["status"], first["elsewhere"], first["links"][0]["n"]) == ("supported", True, right)
    assert (second["status"], second["elsewhere"]) == ("supported", False)


@pytest.mark.parametrize(
    ("words", "status", "wrong"),
    [
        ("Python 由 Guido van Rossum 在 CWI 创建，第一版于1991年2月发布。", "supported", []),
        ("Python 由 Guido van Rossum 在 CWI 创建，第一版于1993年2月发布。", "unsupported", [("date", "1993年2月")]),
        ("Python 由 James Gosling 在 CWI 创建，第一版于1991年2月发布。", "unsupported", [("name", "James Gosling")]),
        ("退货期限由客户服务部门决定，通常比较宽松。", "unsupported", []),
    ],
)
def test_a_chinese_answer_from_english_passages(
    indexed: Indexed, english: str, words: str, status: str, wrong: list[tuple[str, str]]
) -> None:
    answer = said(indexed, words, CHINESE, base=english, retrieval__evidence_threshold=0)
    assert statuses(answer) == [status]
    assert missed(answer) == wrong


def test_headings_questions_and_what_the_documents_lack_are_not_held_against_them(indexed: Indexed) -> None:
    words = "## Summary\n\nGuido van Rossum created Python. The passages do not mention his salary. Anything else?\n\n"
    assert statuses(said(indexed, words + "```\nx = 1992\n```")) == ["unchecked", "supported", "aside", "unchecked"]
    words = "吉多·范罗苏姆创建了 Python。文档中没有提到他的薪水。"
    assert statuses(said(indexed, words, CHINESE)) == ["supported", "aside"]


def test_quotes_are_grounded_by_construction(indexed: Indexed) -> None:
    answer = indexed.ask(QUESTION)
    assert answer["grounding"] == {"score": 1.0, "judged": False, "sentences": []}
    assert indexed.ask("What is a prime number?")["grounding"] is None


# --- refusal -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "refusal"), [(QUESTION, "The documents give no answer"), (CHINESE, "文档中没有")])
def test_an_answer_that_is_not_grounded_is_refused_and_kept_aside(indexed: Indexed, question: str, refusal: str) -> None:
    words = "It was James Gosling, in 1995."
    answer = said(indexed, words, question, refuse_below=0.5)
    assert (answer["refused"], answer["mode"], answer["citations"], answer["withheld"]) == (True, "llm", [], words)
    assert answer["answer"].startswith(refusal)
    assert answer["reason"] == {"code": "not_grounded", "params": {"score": 0, "threshold": 0.5}}
    assert answer["contexts"], "the nearest passages are offered"
    assert statuses(answer) == ["unsupported"]


def test_the_threshold_decides_on_the_share_that_is_supported(indexed: Indexed) -> None:
    words = "Guido van Rossum created Python at CWI. It was named after his dog Rex."
    answer = said(indexed, words, refuse_below=0.4)
    assert 0.4 < answer["grounding"]["score"] < 0.7
    assert (answer["refused"], answer["answer"]) == (False, words)
    assert said(indexed, words, refuse_below=0.7)["refused"]


def test_an_answer_that_only_says_that_nothing_is_said_is_a_refusal(indexed: Indexed) -> None:
    answer = said(indexed, "The passages do not say who created Python.")
    assert (answer["refused"], answer["reason"]["code"]) == (True, "model_found_none")


def test_switched_off_nothing_is_held_against_anything(indexed: Indexed) -> None:
    words = "It was James Gosling, in 1995."
    answer = said(indexed, words, refuse_below=1, answer__grounding__enabled=False)
    assert (answer["answer"], answer["grounding"], answer["refused"]) == (words, None, False)


def test_an_answer_that_was_cut_off_is_marked_but_stays(indexed: Indexed) -> None:
    with ModelServer(words=["It was James Gosling. ", "In the ye"], failure="length") as server:
        answer = indexed.ask(QUESTION, chat_at(server))
    assert (answer["refused"], answer["error"]["code"]) == (False, "cut_short")
    assert statuses(answer) == ["unsupported", "unchecked"]


# --- the judge -----------------------------------------------------------------------------------------------------------------

TWO = "Guido van Rossum created Python at CWI. He did so at Christmas in 1989."


def test_the_judge_reads_passages_and_sentences_and_its_word_counts(indexed: Indexed) -> None:
    with ModelServer(words=[TWO]) as server:
        answer = indexed.ask(QUESTION, chat_at(server), answer__grounding__judge=True)
    assert len(server.requests) == 2
    system, asked = server.requests[1].body["messages"]
    assert "[1]\n<<<\n" in system["content"]
    assert "[2] He did so at Christmas in 1989." in system["content"]
    assert QUESTION in asked["content"]
    assert any(note["code"] == "judge_unclear" for note in answer["notes"])  # the server says the same words again
    assert answer["grounding"]["judged"] is False

    answer = said(indexed, TWO, then='{"supported": [2]}', answer__grounding__judge=True)
    assert answer["grounding"]["judged"]
    assert statuses(answer) == ["unsupported", "supported"]


def test_the_judge_cannot_talk_a_wrong_number_right(indexed: Indexed) -> None:
    words = "Guido van Rossum created Python at CWI. He published the first version in February 1992."
    answer = said(indexed, words, then='{"supported": [1, 2]}', answer__grounding__judge=True)
    assert statuses(answer) == ["supported", "unsupported"]


@pytest.mark.parametrize(
    "reply", ["", "x" * 10_000, '{"supported": "all"}', '{"supported": [99]}', '{"supported": null}', '{"unsupported": [2]}']
)
def test_a_judge_that_says_nothing_clear_leaves_the_comparison_and_a_note(indexed: Indexed, reply: str) -> None:
    answer = said(indexed, TWO, then=reply, answer__grounding__judge=True)
    assert (statuses(answer), answer["grounding"]["judged"]) == (["supported", "supported"], False)
    assert [note["code"] for note in answer["notes"]] == ["judge_unclear"]


def test_a_judge_that_fails_leaves_the_comparison_and_a_note(indexed: Indexed) -> None:
    with ModelServer(words=[TWO], failure="unauthorized", spared=1) as server:
        answer = indexed.ask(QUESTION, chat_at(server), answer__grounding__judge=True)
    assert statuses(answer) == ["supported", "supported"]
    assert [note["code"] for note in answer["notes"]] == ["judge_failed"]
    assert "key" in answer["notes"][0]["params"]["error"]


COUNTED = {
    "library.md": "# The library\n\nThe library has four reading rooms on the second floor. Three volunteers help on Saturdays."
    "\n\nMembers may borrow six books at a time. A fine of two euros is due after 14 days.",
    "museum.md": "# The museum\n\nThe museum has three halls. Its garden has seven trees. Tours are held twice a week.",
    "图书馆.md": "# 图书馆\n\n图书馆二楼有四个阅览室。周六有三名志愿者帮忙。\n\n会员一次可以借六本书。超过十四天要付两元罚款。",
    "博物馆.md": "# 博物馆\n\n博物馆有三个展厅。花园里有七棵树。每周有两次导览。",
}
ROOMS, BOOKS, TOURS = (
    "How many reading rooms does the library have?",
    "How many books may members borrow?",
    "How often are tours held?",
)
ZH_ROOMS, ZH_BOOKS, ZH_TREES = "图书馆有几个阅览室？", "会员一次可以借几本书？", "花园里有几棵树？"


@pytest.fixture(scope="session")
def counted(indexed: Indexed) -> str:
    """A base in which each number stands somewhere, in digits or words."""
    indexed.add("counted", COUNTED)
    return "counted"


def held(indexed: Indexed, base: str, words: str, question: str) -> dict[str, Any]:
    with ModelServer(words=[words]) as server:
        return indexed.turn(chat_at(server), base=base, answer__grounding__refuse_below=0).ask(question)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (ROOMS, "There are four.", "There are three."),
        (ROOMS, "Yes, there are 4.", "It has 3."),
        (ROOMS, "Four.", "There is only one."),
        (ROOMS, "The library has four reading rooms.", "The library has three reading rooms."),
        (BOOKS, "Six.", "They may borrow seven."),
        (TOURS, "Twice a week.", "Three times a week."),
        (ZH_ROOMS, "有四个。", "有三个。"),
        (ZH_ROOMS, "四。", "答案是三。"),
        (ZH_ROOMS, "共4个。", "只有一个。"),
        (ZH_ROOMS, "图书馆有四个阅览室。", "图书馆有三个阅览室。"),
        (ZH_BOOKS, "六本。", "三本。"),
        (ZH_TREES, "七棵。", "有四棵。"),
    ],
)
def test_a_short_reply_is_held_to_the_number_of_what_was_asked_for(
    indexed: Indexed, counted: str, question: str, right: str, wrong: str
) -> None:
    for words, status in ((right, "supported"), (wrong, "unsupported")):
        assert statuses(held(indexed, counted, words, question)) == [status], words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many rooms are there, and who helps on Saturdays?", "Four reading rooms. Three volunteers help."),
        ("有几个阅览室，谁来帮忙？", "有四个阅览室。有三名志愿者帮忙。"),
    ],
)
def test_a_number_of_another_part_of_the_question_is_no_wrong_one(
    indexed: Indexed, counted: str, question: str, words: str
) -> None:
    assert statuses(held(indexed, counted, words, question)) == ["supported", "supported"]
