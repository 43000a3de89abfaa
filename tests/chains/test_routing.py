"""Routes: what is small talk, what the features of a question say, what a route changes, and what a person has set."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.followup import StandaloneQuestions
from chains.routing import Prepared, Router
from chains.routing.changes import changes_of, set_by_hand
from chains.routing.features import features
from chains.routing.small_talk import small_talk
from retrievers.ledger import Ledger, recording
from settings import load_settings
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

SETTINGS = load_settings(env={})

SMALL_TALK = {
    "Hello": "greeting",
    "hi there!": "greeting",
    "Good morning, how are you?": "greeting",
    "你好": "greeting",
    "您好！": "greeting",
    "早上好，在吗？": "greeting",
    "Thanks!": "thanks",
    "ok, thank you so much for your help 🙏": "thanks",
    "谢谢你": "thanks",
    "好的，非常感谢！": "thanks",
    "Bye, see you tomorrow": "goodbye",
    "再见": "goodbye",
    "OK": "acknowledged",
    "Great, that helps a lot.": "acknowledged",
    "明白了": "acknowledged",
    "哈哈哈": "acknowledged",
    "Who are you?": "about",
    "Hello! What can you do?": "about",
    "你是谁？": "about",
    "你能做什么？": "about",
}
NO_SMALL_TALK = """
Hello, what is the refund window?
Thanks, and the price?
Who created Python?
How are refunds made?
What can you do with Python?
Good Morning America
hello world
Yes, B1
help desk hours
ok google settings
你好吗这个词是什么意思？
谢谢卡多少钱？
再见的英文怎么说
好的方法有哪些？
介绍一下自己动手做的步骤
???
""".strip().split("\n")


@pytest.mark.parametrize("message", SMALL_TALK)
def test_small_talk_is_known_in_both_languages(message: str) -> None:
    assert small_talk(message) == SMALL_TALK[message]


@pytest.mark.parametrize("message", [*NO_SMALL_TALK, "", "Hello " * 40])
def test_what_asks_for_something_is_no_small_talk(message: str) -> None:
    assert small_talk(message) is None


@pytest.mark.parametrize(("message", "question"), [("OK", "Do you mean B1? [1]"), ("好的", "您是指 B1 吗？")])
def test_a_yes_to_what_the_answer_asked_back_is_no_small_talk(message: str, question: str) -> None:
    assert small_talk(message, question) is None
    assert small_talk(message, "B1 costs 300 euros. [1]") == "acknowledged"


FEATURES = {
    "Who created Python?": ("simple", "one_thing"),
    "When did Guido van Rossum publish Python?": ("simple", "one_thing"),
    "Python 是谁创建的？": ("simple", "one_thing"),
    "退款期限是多久？": ("simple", "one_thing"),
    "What is the difference between annual leave and sick leave?": ("complex", "parts"),
    "Is tea better than coffee for sleep?": ("complex", "parts"),
    "年假和病假有什么区别？": ("complex", "parts"),
    "What is the refund window and how do I get a receipt?": ("complex", "parts"),
    "What is RAG? Who invented it?": ("complex", "several"),
    "How many points did the Broncos score in the last minutes of the game versus Pittsburgh?": ("simple", "one_thing"),
    "Which player got a penalty, which gave the Broncos a new set of downs?": ("simple", "one_thing"),
    "When many people are arrested, what is a common tactic?": ("simple", "one_thing"),
    "Is the time interval more than 3 days between the call and the visit?": ("simple", "one_thing"),
    "特斯拉电力照明与制造公司的系统是谁设计的？": ("simple", "one_thing"),
    "RAG是什么？它有什么优点？": ("complex", "several"),
    "List all vector databases": ("medium", "lists"),
    "Which rules hold for all employees?": ("medium", "lists"),
    "常见的向量数据库有哪些？": ("medium", "lists"),
    "列出所有的产品": ("medium", "lists"),
    "Summarize the handbook": ("medium", "overview"),
    "总结一下员工手册": ("medium", "overview"),
    "Why does RAG cite its sources?": ("medium", "explains"),
    "How does retrieval-augmented generation work?": ("medium", "explains"),
    "为什么要注明来源？": ("medium", "explains"),
    "How do I cancel my order?": ("medium", "how_to"),
    "怎么取消订单？": ("medium", "how_to"),
    "refund policy": ("medium", "short"),
    "产品保修": ("medium", "short"),
    "How long is the refund window?": ("simple", "one_thing"),
    "How many vacation days do employees get in France?": ("simple", "one_thing"),
    f"{'We moved to Lyon and our old contract has ended. ' * 7}Is there a notice period": ("medium", "long"),
    f"{'我们搬到了上海，旧的合同已经到期。' * 9}通知期是几天": ("medium", "long"),
    "???": ("simple", "one_thing"),
    "": ("simple", "one_thing"),
}


@pytest.mark.parametrize("question", FEATURES)
def test_the_features_of_a_question_say_its_route(question: str) -> None:
    found = features(question)
    assert (found.name, found.why) == FEATURES[question]


def test_the_reason_of_a_comparison_names_its_parts() -> None:
    assert features("Python 与 Java 哪个更适合初学者？").params["parts"] == "Python 适合初学者；Java 适合初学者"
    assert features("A vs B vs C").params == {"count": 3, "parts": "A; B; C"}


@given(st.text(max_size=300))
def test_any_text_has_a_route(text: str) -> None:
    assert features(text).name in ("simple", "medium", "complex")
    assert small_talk(text) in (None, "greeting", "thanks", "goodbye", "acknowledged", "about")


# --- what a route changes ------------------------------------------------------------------------------------------------------


def test_a_route_gives_more_contexts_and_never_fewer() -> None:
    counts = [
        changes_of(name, (), SETTINGS, own=()).get("retrieval.top_k", 8) for name in ("none", "simple", "medium", "complex")
    ]
    assert counts == [8, 8, 12, 16]
    many = SETTINGS.override({"retrieval.top_k": 40})
    assert changes_of("complex", (), many, own=()) == {"retrieval.top_k": 50}


def test_what_a_person_has_set_wins() -> None:
    changed = SETTINGS.override({"retrieval.top_k": 3})
    assert set_by_hand(changed) == {"retrieval.top_k"}
    named = set_by_hand(SETTINGS, ["retrieval.top_k"])
    assert "retrieval.top_k" in named, "also where it is the default's value"
    for own in (set_by_hand(changed), named):
        assert changes_of("complex", ("decomposition",), changed, own=own) == {"retrieval.decomposition.enabled": True}


@pytest.mark.parametrize(
    ("reranker", "switched"),
    [
        ({}, False),
        ({"provider": "endpoint"}, False),
        ({"provider": "endpoint", "base_url": "http://127.0.0.1:8080/v1"}, True),
        ({"provider": "cohere"}, False),
        ({"provider": "cohere", "model": "rerank"}, True),
    ],
)
def test_a_reranker_is_switched_on_where_one_is_set_up(reranker: dict[str, str], switched: bool) -> None:
    settings = SETTINGS.override({f"retrieval.rerank.{name}": value for name, value in reranker.items()})
    for route in ("medium", "complex"):
        assert ("retrieval.rerank.enabled" in changes_of(route, (), settings, own=set_by_hand(settings))) is switched
    assert changes_of("simple", (), settings, own=()) == {}


# --- by a setting, by features, by a model -------------------------------------------------------------------------------------


def words(run: str) -> list[str]:
    """The words of the Chinese in these tests."""
    return re.findall("什么|优点|重量|价格|.", run)


class Routed:
    """Prepares questions with these settings, without a base; remembers the ledger."""

    def __init__(self, server: ModelServer | None = None, **changes: object) -> None:
        settings = SETTINGS.override({name.replace("__", "."): value for name, value in changes.items()})
        rules = StandaloneQuestions(words, lambda _phrase, others: [0.0] * len(others))
        model = chat_at(server, timeout_seconds=0.5) if server else None
        self.router = Router(settings, model=model, follow_ups=lambda: rules)
        self.book = Ledger()

    def __call__(self, question: str, history: list[tuple[str, str]] | None = None, given: str | None = None) -> Prepared:
        with recording() as self.book:
            return self.router.prepare(question, history or [], given=given)

    @property
    def notes(self) -> list[str]:
        return [note.code for note in self.book.notes]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.mark.parametrize("route", ["none", "simple", "medium", "complex"])
@pytest.mark.parametrize("question", ["Who created Python?", "Hello", "年假和病假有什么区别？"])
def test_a_route_can_be_fixed(route: str, question: str) -> None:
    found = Routed(conversation__route=route)(question).route
    assert (found.name, found.by, found.why) == (route, "setting", "chosen")
    assert ("retrieval.decomposition.enabled" in found.changes) is (route == "complex")


def test_by_features_no_model_is_asked_for_a_route(server: ModelServer) -> None:
    found = Routed(server)("What is the difference between tea and coffee?").route
    assert (found.name, found.by, server.requests) == ("complex", "features", [])
    assert found.changes == {"retrieval.top_k": 16, "retrieval.decomposition.enabled": True}


def test_a_layer_that_needs_a_model_is_named_where_there_is_none(server: ModelServer) -> None:
    without, with_model = Routed()("refund policy").route, Routed(server)("refund policy").route
    assert without.changes == {"retrieval.top_k": 12, "retrieval.abbreviations.enabled": True}
    assert without.lacking == ("multi_query",)
    assert with_model.changes == {**without.changes, "retrieval.multi_query.enabled": True}
    assert with_model.lacking == ()
    assert Routed()("Why is the sky blue?").route.lacking == ("hyde",)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is RAG? Who invented it?", ["What is RAG?", "Who invented RAG?"]),
        ("RAG是什么？它有什么优点？", ["RAG是什么？", "RAG有什么优点？"]),
    ],
)
def test_questions_in_a_row_are_each_made_to_stand_alone(question: str, parts: list[str]) -> None:
    found = Routed()(question).route
    assert [(query.kind, query.text) for query in found.queries] == [("part", part) for part in parts]
    assert (found.name, found.why) == ("complex", "several")


WRITTEN = """{"route": "complex", "reason": "compares two prices", "question": "Which costs more, the X1 or the M2?",
 "parts": ["What does the X1 cost?", "What does the M2 cost?"],
 "paraphrases": [], "translation": "", "passage": "", "keywords": []}"""
ZH_WRITTEN = """{"route": "complex", "reason": "比较两个价格", "question": "X1 和 M2 哪个贵？",
 "parts": ["X1 的价格是多少？", "M2 的价格是多少？"]}"""
HISTORY = [("human", "What does the X1 cost?"), ("ai", "300 euros. [1]")]
ZH_HISTORY = [("human", "X1 的价格是多少？"), ("ai", "三百欧元。[1]")]


@pytest.mark.parametrize("around", ["{}", "Sure! Here is the JSON:\n```json\n{}\n```\nLet me know!", "<think>Two?</think>{}"])
@pytest.mark.parametrize(
    "case",
    [
        (
            "Or the M2?",
            HISTORY,
            WRITTEN,
            "Which costs more, the X1 or the M2?",
            ["What does the X1 cost?", "What does the M2 cost?"],
        ),
        ("那 M2 呢？", ZH_HISTORY, ZH_WRITTEN, "X1 和 M2 哪个贵？", ["X1 的价格是多少？", "M2 的价格是多少？"]),
    ],
    ids=["en", "zh"],
)
def test_one_call_gives_the_route_the_question_and_its_parts(
    server: ModelServer, around: str, case: tuple[str, list[tuple[str, str]], str, str, list[str]]
) -> None:
    question, history, written, alone, parts = case
    server.words = [around.replace("{}", written)]
    routed = Routed(server, conversation__route_by="model")
    found = routed(question, history)
    assert (found.question, found.how) == (alone, "by_model")
    assert (found.route.name, found.route.by, found.route.why) == ("complex", "model", "model")
    assert [(query.kind, query.text) for query in found.route.queries] == [("part", part) for part in parts]
    assert found.route.changes == {"retrieval.top_k": 16}
    assert (len(server.requests), routed.notes) == (1, [])
    told = server.requests[0].body["messages"]
    assert history[0][1] in told[0]["content"]
    assert "{conversation}" not in told[0]["content"] + told[1]["content"]
    assert told[1]["content"] == question


def test_each_kind_of_query_is_taken_in_its_language_and_for_its_legs(server: ModelServer) -> None:
    server.words = [
        (
            '{"route": "Medium", "reason": ["odd"], "question": "refund policy", "parts": ["a part"], '
            '"paraphrases": ["1. How are refunds made?", "terms of return", "退货条款", 7, null], "translation": "退款政策", '
            '"passage": "Goods may be returned within thirty days.", "keywords": ["refund", "return", "refund"]}'
        )
    ]
    found = Routed(server, conversation__route_by="model")("refund policy").route
    assert [(query.kind, query.text, query.legs) for query in found.queries] == [
        ("paraphrase", "How are refunds made?", ()),
        ("paraphrase", "terms of return", ()),
        ("translation", "退款政策", ()),
        ("hyde", "Goods may be returned within thirty days.", ("vector",)),
        ("keywords", "refund return", ("bm25",)),
    ]
    lexical = {"retrieval.vector_weight": 0.0, "retrieval.multi_query.translate": False}
    found = Routed(server, conversation__route_by="model", **lexical)("refund policy").route
    assert {query.kind for query in found.queries} == {"paraphrase", "keywords"}


HOSTILE = [
    "",
    "```\n```",
    "I cannot help with that.",
    "x" * 10_000,
    '{"route": "everything", "question": "obey"}',
    '{"rout',
    "[1, 2, 3]",
    "null",
]


@pytest.mark.parametrize("written", HOSTILE)
@pytest.mark.parametrize(
    ("question", "history"),
    [("And its weight?", HISTORY), ("它的重量呢？", ZH_HISTORY)],
    ids=["en", "zh"],
)
def test_what_names_no_route_leaves_it_to_the_features(
    server: ModelServer, written: str, question: str, history: list[tuple[str, str]]
) -> None:
    server.words = [written]
    routed = Routed(server, conversation__route_by="model", conversation__standalone=False)
    found = routed(question, history)
    assert (found.question, found.route.by) == (question, "features")
    assert routed.notes in (["route_unclear"], ["route_failed"])
    assert found.route.queries == ()


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('{"route": "simple", "question": "Zephyr 的价格是多少？"}', "another language"),
        ('{"route": "simple", "question": ["a?", "b?"]}', "two questions"),
        ('{"route": "simple", "question": {"text": "a?"}}', "an object"),
        ('{"route": "simple", "question": "' + "very " * 200 + 'long?"}', "too long"),
        ("simple", "the name alone"),
        ("Route: **simple**.", "the name alone"),
    ],
)
def test_a_question_of_the_model_that_is_none_is_made_by_the_follow_up(server: ModelServer, written: str, kept: str) -> None:
    server.words = [written]
    found = Routed(server, conversation__route_by="model")("And its weight?", HISTORY)
    assert (found.route.name, found.route.by) == ("simple", "model"), kept
    assert found.question == "And X1's weight?"
    assert found.how == "by_rules"


@pytest.mark.parametrize("failure", ["unauthorized", "server_error", "hang", "html", "close"])
def test_a_model_that_fails_leaves_a_note_and_the_features(server: ModelServer, failure: str) -> None:
    server.failure = failure
    routed = Routed(server, conversation__route_by="model", conversation__standalone=False)
    found = routed("List all products")
    assert (found.route.name, found.route.by, routed.notes) == ("medium", "features", ["route_failed"])


def test_without_a_model_the_features_decide_and_a_note_says_so() -> None:
    routed = Routed(conversation__route_by="model")
    assert (routed("List all products").route.by, routed.notes) == ("features", ["route_without_llm"])


def test_small_talk_asks_no_model(server: ModelServer) -> None:
    routed = Routed(server, conversation__route_by="model")
    found = routed("谢谢你", ZH_HISTORY)
    assert (found.route.name, found.route.why, server.requests) == ("none", "thanks", [])


def test_what_a_person_wrote_out_is_searched_for_as_it_is(server: ModelServer) -> None:
    server.words = ['{"route": "simple", "question": "Something else?"}']
    found = Routed(server, conversation__route_by="model")("And its weight?", HISTORY, given=" What does the X1\nweigh? ")
    assert (found.question, found.how) == ("What does the X1 weigh?", "by_person")
    found = Routed()("And its weight?", HISTORY, given="And its weight?")
    assert (found.question, found.how) == ("And its weight?", "as_asked")
    assert Routed()("Thanks", HISTORY, given="Thanks").route.name == "medium", "who writes it out wants it searched for"
