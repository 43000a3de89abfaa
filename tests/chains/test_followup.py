"""Follow-ups: what they lean on, the question that is searched for instead, with and without a model, and what is answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains.followup import StandaloneQuestions
from language import detect
from models import ModelError
from retrievers import Retriever
from retrievers.ledger import recording
from retrievers.words import Words
from tests.chains.conftest import Indexed
from tests.models.endpoints import chat_at
from tests.servers import CHAT_FAILURES, ChatFailure, ModelServer

CONVERSATIONS: list[list[tuple[str, str]]] = [
    [
        ("What is the battery life of the Zephyr X2?", "What is the battery life of the Zephyr X2?"),
        ("How long does it take to charge?", "How long does Zephyr X2 take to charge?"),
        ("And its weight?", "And Zephyr X2's weight?"),
        ("What about the X3?", "And X3's weight?"),
        ("Why?", "Why? (X3, weight)"),
        ("Is it possible to get a refund?", "Is it possible to get a refund?"),
    ],
    [
        (
            "How many vacation days do employees get in France?",
            "How many vacation days do employees get in France?",
        ),
        ("And in Germany?", "How many vacation days do employees get in Germany?"),
        ("Can they be carried over?", "Can they be carried over? (vacation days, employees, Germany)"),
        ("Refund policy", "Refund policy"),
        ("How do I cancel?", "How do I cancel?"),
    ],
    [
        ("Who is the CEO of Acme?", "Who is the CEO of Acme?"),
        ("How old is he?", "How old is he? (CEO, Acme)"),
        ("And the CFO?", "How old is he? (CFO, Acme)"),
        ("Yes, B1", "How old is he? (CFO, Acme, B1)"),
        ("When did Einstein publish his paper?", "When did Einstein publish his paper?"),
    ],
    [
        ("Zephyr X2的电池续航多长？", "Zephyr X2的电池续航多长？"),
        ("那它的价格呢？", "那Zephyr X2的价格呢？"),
        ("重量呢？", "那Zephyr X2的重量呢？"),
        ("那X3呢？", "那X3的重量呢？"),
        ("它支持快充吗？", "X3支持快充吗？"),
        ("为什么？", "为什么？（X3，重量）"),
    ],
    [
        ("北京的房价是多少？", "北京的房价是多少？"),
        ("那上海呢？", "上海的房价是多少？"),
        ("租金呢？", "上海的租金是多少？"),
        ("公司的年假有几天？", "公司的年假有几天？"),
        ("可以结转吗？", "可以结转吗？（公司，年假）"),
    ],
    [
        ("How much is the Blue teapot?", "How much is the Blue teapot?"),
        ("and its price?", "and the Blue teapot's price?"),
        ("Who supplies it?", "Who supplies the Blue teapot?"),
        ("What about the red mug?", "Who supplies the red mug?"),
        ("Is it in stock?", "Is the red mug in stock?"),
        ("And the Oak tray?", "Is the Oak tray in stock?"),
    ],
    [
        ("How much does the Aurora heater cost?", "How much does the Aurora heater cost?"),
        ("How long is its warranty?", "How long is the Aurora heater's warranty?"),
        ("How much is the Boreal stove?", "How much is the Boreal stove?"),
        ("And the Aurora heater?", "How much is the Aurora heater?"),
        ("How much does it weigh?", "How much does the Aurora heater weigh?"),
    ],
    [
        ("What is the price of the membership card?", "What is the price of the membership card?"),
        ("And its validity?", "And the membership card's validity?"),
        ("Can it be replaced?", "Can the membership card be replaced?"),
    ],
    [
        ("会员卡的价格是多少？", "会员卡的价格是多少？"),
        ("那它的有效期呢？", "那会员卡的有效期呢？"),
        ("它可以补办吗？", "会员卡可以补办吗？"),
        ("会员卡每张多少钱？", "会员卡每张多少钱？"),
        ("那它的有效期呢？", "那会员卡的有效期呢？"),
    ],
    [
        ("Who discovered radium?", "Who discovered radium?"),
        ("Was it also found by Becquerel?", "Was radium also found by Becquerel?"),
        ("And was it given to her by Curie?", "And was radium given to her by Curie?"),
        ("Is it used for cooking?", "Is radium used for cooking?"),
        ("Sold by Acme?", "Sold by Acme? (radium)"),
        ("Is it allowed to sell radium?", "Is it allowed to sell radium?"),
        ("How much is the Blue teapot?", "How much is the Blue teapot?"),
        ("Who was it designed by?", "Who was the Blue teapot designed by?"),
    ],
    [
        ("谁发现了镭？", "谁发现了镭？"),
        ("它是被谁命名的？", "镭是被谁命名的？"),
        ("它是由居里夫人发现的吗？", "镭是由居里夫人发现的吗？"),
        ("会员卡的价格是多少？", "会员卡的价格是多少？"),
        ("它是被哪家银行发放的？", "会员卡是被哪家银行发放的？"),
        ("是谁设计的？", "是谁设计的？（会员卡）"),
        ("是由银行发放的吗？", "是由银行发放的吗？（会员卡）"),
        ("什么时候被停用的？", "什么时候被停用的？（会员卡）"),
        ("由哪家公司生产？", "由哪家公司生产？（会员卡）"),
    ],
    [
        ("What is RAG?", "What is RAG?"),
        ("它有什么优点？", "RAG有什么优点？"),
        ("谁发明了Python？", "谁发明了Python？"),
        ("什么时候？", "什么时候？（发明，Python）"),
        ("那个人还做过什么？", "那个人还做过什么？（发明，Python）"),
    ],
    [
        ("When does the Harbour Museum open?", "When does the Harbour Museum open?"),
        ("How much is a ticket?", "How much is a ticket?"),
        ("What about the Glass Museum?", "How much is a ticket? (Glass Museum)"),
        ("Is there a discount for students?", "Is there a discount for students?"),
        ("When does it close?", "When does it close? (Glass Museum, discount)"),
        ("And the other one?", "When does it close? (Harbour Museum, discount)"),
        ("Who founded it?", "Who founded Harbour Museum?"),
        ("What does the red mug cost?", "What does the red mug cost?"),
        ("Is it in stock?", "Is the red mug in stock?"),
    ],
    [
        ("港口博物馆几点开门？", "港口博物馆几点开门？"),
        ("门票多少钱？", "门票多少钱？"),
        ("玻璃博物馆呢？", "门票多少钱？（玻璃博物馆）"),
        ("学生有优惠吗？", "学生有优惠吗？"),
        ("它几点关门？", "它几点关门？（玻璃博物馆，学生，优惠）"),
        ("另一个呢？", "它几点关门？（港口博物馆，学生，优惠）"),
    ],
]


@pytest.fixture(scope="module")
def words(indexed: Indexed) -> Words:
    return Retriever(indexed.stores).words_of(indexed.library.base("default"))


@pytest.fixture(scope="module")
def rules(words: Words) -> StandaloneQuestions:
    return StandaloneQuestions(words.tokens, words.alike)


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda conversation: conversation[0][0])
def test_a_follow_up_takes_its_subject_from_what_was_asked_before(
    rules: StandaloneQuestions, conversation: list[tuple[str, str]]
) -> None:
    history: list[tuple[str, str]] = []
    for question, standalone in conversation:
        made = rules.of(question, history)
        assert made.question == standalone
        assert made.how == ("as_asked" if question == standalone else "by_rules")
        history += [("human", question), ("ai", "Some answer. [1]")]


@pytest.mark.parametrize(
    ("asked", "answer", "follow_ups"),
    [
        (
            "Who founded the Harbour Museum?",
            "It opens at ten.\n\nThe Harbour Museum was founded in 1934 by the shipowner Ida Lindqvist, from Gothenburg. [1]",
            ["When was she born? (Ida Lindqvist)", "Whom did she marry? (Ida Lindqvist)", "When does Harbour Museum close?"],
        ),
        ("Who created Python?", "Guido van Rossum created Python in 1991. [1]", ["How old is he? (Guido van Rossum)"]),
        ("Who created Python?", "Nothing tells who. [1]", ["How old is he? (created, Python)"]),
        ("When was Python created?", "Guido van Rossum created Python in 1991. [1]", ["How old is he? (Python, created)"]),
        ("谁创办了港口博物馆？", "十点开门。\n\n港口博物馆由船主林怡达于1934年创办。[1]", ["她什么时候出生的？（船主林怡达）"]),
        ("Python 是谁创建的？", "1991年，吉多·范罗苏姆创建了Python。[1]", ["他多大了？（吉多·范罗苏姆）"]),
    ],
)
def test_a_person_is_who_the_answer_has_named(
    rules: StandaloneQuestions, asked: str, answer: str, follow_ups: Sequence[str]
) -> None:
    history = [("human", asked), ("ai", answer)]
    for standalone in follow_ups:
        question = re.sub(r" ?[(（].*", "", standalone).replace("Harbour Museum", "it")
        assert rules.of(question, history).question == standalone
        history += [("human", question), ("ai", "Karl Nordahl. [1]")]


@pytest.mark.parametrize(
    "question",
    [
        "When did Einstein publish his paper?",
        "What is the policy, and how does it apply?",
        "How long does it take to get a refund?",
        "Is it allowed to bring a dog?",
        "Which of the plans that you offer include support?",
        "vacation days",
        "小明的手机和他的电脑哪个贵？",
        "公司的政策是什么，它适用于谁？",
        "其他城市的房价是多少？",
        "产品保修",
        "怎么申请报销？",
        "被解雇后能领多少赔偿？",
        "由谁负责报销？",
        "是谁写的《红楼梦》？",
        "Was penicillin discovered by Fleming?",
        "Is it required to register for a refund?",
        "Thanks!",
        "???",
        "",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(rules: StandaloneQuestions, question: str) -> None:
    made = rules.of(question, [("human", "What is the battery life of the Zephyr X2?"), ("ai", "Ten hours. [1]")])
    assert (made.question, made.how) in ((question, "as_asked"), (f"{question} (battery life, Zephyr X2)", "by_rules"))
    if any(character.isalnum() for character in question):
        assert made.how == "as_asked"


def test_the_first_question_asks_no_model(words: Words) -> None:
    with ModelServer(words=["What is the price?"]) as server:
        made = StandaloneQuestions(words.tokens, words.alike, chat_at(server)).of("And its price?", [])
        assert (made.question, made.how, server.requests) == ("And its price?", "as_asked", [])


def test_without_an_embedder_that_works_everything_is_carried(words: Words) -> None:
    def fails(phrase: str, others: Sequence[str]) -> list[float]:
        raise ModelError("The embedder is down.")

    made = StandaloneQuestions(words.tokens, fails).by_rules("And the price?", ["What is the battery life of the Zephyr X2?"])
    assert made.question == "And the price? (battery life, Zephyr X2)"


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=5), st.text(max_size=60))
def test_any_text_can_be_a_conversation(rules: StandaloneQuestions, asked: list[str], question: str) -> None:
    made = rules.by_rules(question, asked)
    assert made.how in ("as_asked", "by_rules")
    if made.how == "as_asked":
        assert made.question == question


HISTORY = [("human", "What is the battery life of the Zephyr X2?"), ("ai", "Ten hours. [1]")]
ZH_HISTORY = [("human", "Zephyr X2的电池续航多长？"), ("ai", "十小时。[1]")]
GOOD, ZH_GOOD = "What is the price of the Zephyr X2?", "Zephyr X2的价格是多少？"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (GOOD, GOOD),
        (f"Sure! Here is the standalone question:\n\n{GOOD}", GOOD),
        (f"1. {GOOD}", GOOD),
        (f"```\n{GOOD}\n```", GOOD),
        (f'{{"question": "{GOOD}"}}', GOOD),
        (f"<think>They mean the X2.</think>\n**{GOOD}**", GOOD),
        (f'Standalone question: "{GOOD}"', GOOD),
        (ZH_GOOD, ZH_GOOD),
        (f"好的，改写如下：\n{ZH_GOOD}", ZH_GOOD),
        (f"改写：{ZH_GOOD}", ZH_GOOD),
    ],
)
def test_what_a_model_writes_is_searched_for(words: Words, written: str, expected: str) -> None:
    history, question = (ZH_HISTORY, "价格呢？") if detect(expected) == "zh" else (HISTORY, "And the price?")
    with ModelServer(words=[written]) as server:
        made = StandaloneQuestions(words.tokens, words.alike, chat_at(server)).of(question, history)
        assert (made.question, made.how) == (expected, "by_model")
        told = server.requests[-1].body["messages"]
    assert "Zephyr X2" in told[0]["content"]
    assert "<<<" in told[0]["content"]
    assert told[-1]["content"] == question


@pytest.mark.parametrize(
    "written",
    ["", "```\n```", "x" * 10_000, "Zephyr X2的价格是多少？", "None", "I'm sorry, I cannot do that.", "It costs ten euros [1]."],
)
def test_what_is_no_question_in_the_same_language_is_not_taken(words: Words, written: str) -> None:
    with ModelServer(words=[written]) as server, recording() as book:
        made = StandaloneQuestions(words.tokens, words.alike, chat_at(server)).of("And the price?", HISTORY)
    assert (made.question, made.how) == ("What is the price of the Zephyr X2?", "by_rules")
    assert [note.code for note in book.notes] in (["standalone_unclear"], ["standalone_failed"])


@pytest.mark.parametrize(
    ("history", "question", "by_rules", "written"),
    [
        (HISTORY, "And the price?", "What is the price of the Zephyr X2?", "How do I bake sourdough bread?"),
        (HISTORY, "And the price?", "What is the price of the Zephyr X2?", "Was kostet der Apparat?"),
        (ZH_HISTORY, "那它的重量呢？", "那Zephyr X2的重量呢？", "怎么做酸面包？"),
    ],
)
def test_a_rewriting_without_a_word_of_the_conversation_is_only_searched_for_beside_the_question(
    indexed: Indexed, history: list[tuple[str, str]], question: str, by_rules: str, written: str
) -> None:
    with ModelServer(words=[written]) as server:
        answer = indexed.turn(chat_at(server)).ask(question, history)
    with ModelServer(words=[json.dumps({"route": "simple", "question": written})]) as server:
        routed = indexed.turn(chat_at(server), conversation__route_by="model").ask(question, history)
    assert (answer["standalone_question"], answer["standalone_by"]) == (by_rules, "by_rules")
    assert [(query["kind"], query["text"]) for query in answer["queries"]] == [("original", by_rules), ("rewriting", written)]
    assert {"code": "standalone_foreign", "params": {"written": written}} in answer["notes"]
    for name in ("standalone_question", "standalone_by", "queries"):
        assert routed[name] == answer[name], "whichever call wrote it"


@pytest.mark.parametrize("written", ["What does the gadget cost in hours?", "How heavy is ten?"])
def test_a_rewriting_in_words_of_an_answer_or_the_question_is_taken(words: Words, written: str) -> None:
    with ModelServer(words=[written]) as server, recording() as book:
        made = StandaloneQuestions(words.tokens, words.alike, chat_at(server)).of("And the price?", HISTORY)
    assert (made.question, made.how, made.beside, book.notes) == (written, "by_model", "", [])


OF_STREAMS = ("length", "filtered", "keep_alive", "hang_midway", "close_midway", "end_midway", "error_midway")
"""Failures that an answer in one piece cannot have, or has with all its words."""


@pytest.mark.parametrize("failure", [each for each in CHAT_FAILURES if each not in OF_STREAMS])
def test_a_model_that_fails_leaves_it_to_the_rules(words: Words, failure: ChatFailure) -> None:
    with ModelServer(words=["What", " now?"], failure=failure) as server, recording() as book:
        model = chat_at(server, timeout_seconds=0.3)
        made = StandaloneQuestions(words.tokens, words.alike, model).of("And its weight?", HISTORY)
    assert (made.question, made.how) == ("And Zephyr X2's weight?", "by_rules")
    assert [note.code for note in book.notes] in (["standalone_failed"], ["standalone_unclear"])


ASKED = [
    ("Who created Python?", "python.md", "Guido van Rossum"),
    ("When did he publish it?", "python.md", "1991"),
    ("What problems does RAG solve?", "rag.md", "make up facts"),
    ("Why does it cite its sources?", "rag.md", "cite its sources"),
    ("Which vector databases are common?", "vectors.md", "Milvus"),
    ("And FAISS?", "vectors.md", "FAISS is a library"),
]
ZH_ASKED = [
    ("Python 是谁创建的？", "python 历史.md", "吉多"),
    ("它的3.0版本是什么时候发布的？", "python 历史.md", "2008"),
    ("检索增强生成解决了哪些问题？", "检索增强生成.md", "编造"),
    ("它可以注明来源吗？", "检索增强生成.md", "来源"),
    ("常见的向量数据库有哪些？", "向量数据库.md", "Milvus"),
    ("那FAISS呢？", "向量数据库.md", "FAISS"),
]


@pytest.mark.parametrize("asked", [ASKED, ZH_ASKED], ids=["en", "zh"])
def test_each_turn_of_a_conversation_is_answered_from_the_right_document(
    indexed: Indexed, asked: list[tuple[str, str, str]]
) -> None:
    history: list[tuple[str, str]] = []
    for question, source, words_in_it in asked:
        answer = indexed.turn().ask(question, history)
        assert (answer["question"], answer["refused"]) == (question, False), answer["standalone_question"]
        assert answer["citations"][0]["source"] == source, answer["standalone_question"]
        assert words_in_it in answer["answer"], answer["standalone_question"]
        history += [("human", question), ("ai", answer["answer"])]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(words=["When did Guido van Rossum publish Python?"]) as running:
        yield running


def test_the_model_answers_the_question_it_has_made_stand_alone(indexed: Indexed, server: ModelServer) -> None:
    answer = indexed.turn(chat_at(server)).ask("And when?", [("human", "Who created Python?"), ("ai", "Guido van Rossum [1].")])
    assert (answer["question"], answer["standalone_by"]) == ("And when?", "by_model")
    assert answer["standalone_question"] == answer["query"] == "When did Guido van Rossum publish Python?"
    assert answer["contexts"][0]["source"] == "python.md"
    assert len(server.requests) == 2


def test_switched_off_a_follow_up_is_searched_for_as_it_was_asked(indexed: Indexed) -> None:
    turn = indexed.turn(conversation__standalone=False)
    answer = turn.ask("And its weight?", HISTORY)
    assert (answer["standalone_question"], answer["standalone_by"]) == ("And its weight?", "as_asked")
