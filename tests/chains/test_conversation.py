"""Conversations of a question and five follow-ups in each language, end to end: what is searched for, found and cited each time.

On a real base with the local embedder, by rules and with a model at a real server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from tests.chains.conftest import Indexed
from tests.models.endpoints import chat_at
from tests.servers import ModelServer

DOCUMENTS = {
    "zephyr x2.md": """# Zephyr X2

The battery life of the Zephyr X2 is ten hours.

It takes forty minutes to charge the Zephyr X2 with the cable in the box.

The weight of the Zephyr X2 is 310 grams.

The price of the Zephyr X2 is 249 euros.
""",
    "zephyr x3.md": """# Zephyr X3

The battery life of the Zephyr X3 is fourteen hours.

The weight of the Zephyr X3 is 290 grams.

The price of the Zephyr X3 is 349 euros.

The warranty of the Zephyr X3 lasts thirty-six months from the day of purchase.
""",
    "boreas lamp.md": """# Boreas lamp

The battery life of the Boreas lamp is six hours.

It takes three hours to charge the Boreas lamp.

The weight of the Boreas lamp is 95 grams. The price of the Boreas lamp is 39 euros.
""",
    "courier.md": "# Courier\n\nThe price of a parcel depends on its weight: up to 290 grams it is 4 euros, and a charge.\n",
    "warranty.md": "# Warranty\n\nThe warranty of kitchen scales lasts twelve months. The day of purchase is on the receipt.\n",
    "battery care.md": "# Battery care\n\nA battery lives longer when it is charged to eighty percent. Heat shortens its life.\n",
    "harbour museum.md": """# Harbour Museum

The Harbour Museum opens at ten in the morning and closes at six.

Dogs are not allowed in the Harbour Museum, except guide dogs.
""",
    "港口博物馆.md": "# 港口博物馆\n\n港口博物馆上午十点开门，下午六点关门。学生凭证件半价，导盲犬以外的狗不能进馆。\n",
    "kitchen.md": "# Kitchen\n\nThe dough rests for two hours before it goes into the oven at 220 degrees.\n",
    "西风 x2.md": """# 西风 X2

西风 X2 的电池续航是十个小时。

西风 X2 的价格是 1999 元。

西风 X2 的重量是 310 克。
""",
    "西风 x3.md": """# 西风 X3

西风 X3 的电池续航是十四个小时。

西风 X3 的重量是 290 克。

西风 X3 支持快充，四十分钟充满。

西风 X3 的保修期是三十六个月，从购买之日算起。
""",
    "北风台灯.md": "# 北风台灯\n\n北风台灯的电池续航是六个小时，重量是 95 克，价格是 199 元。它不支持快充。\n",
    "快递.md": "# 快递\n\n包裹的价格按重量计算：290 克以内 12 元，偏远地区加收费用。\n",
    "保修.md": "# 保修\n\n厨房秤的保修期是十二个月，购买之日以收据为准。\n",
    "电池保养.md": "# 电池保养\n\n电池充到百分之八十，续航能力更持久，快充和高温会缩短寿命。\n",
    "厨房.md": "# 厨房\n\n面团要醒发两个小时，再放进二百二十度的烤箱。\n",
}


class Said(NamedTuple):
    """A message, what is searched for by rules, what a model makes of it, and where the answer stands."""

    message: str
    by_rules: str
    by_model: str
    source: str
    fact: str


ALONE_ENGLISH, ALONE_CHINESE = "What is the battery life of the Zephyr X2?", "西风 X2 的电池续航多长？"
ENGLISH = [
    Said(ALONE_ENGLISH, ALONE_ENGLISH, ALONE_ENGLISH, "zephyr x2.md", "ten hours"),
    Said(
        "How long does it take to charge?",
        "How long does Zephyr X2 take to charge?",
        "How long does the Zephyr X2 take to charge?",
        "zephyr x2.md",
        "forty minutes",
    ),
    Said("And its weight?", "And Zephyr X2's weight?", "What is the weight of the Zephyr X2?", "zephyr x2.md", "310 grams"),
    Said("What about the X3?", "And X3's weight?", "What is the weight of the Zephyr X3?", "zephyr x3.md", "290 grams"),
    Said(
        "How long is its warranty?", "How long is X3's warranty?", "How long is the X3's warranty?", "zephyr x3.md", "thirty-six"
    ),
    Said("And its price?", "And X3's price?", "What is the price of the Zephyr X3?", "zephyr x3.md", "349 euros"),
]
CHINESE = [
    Said(ALONE_CHINESE, ALONE_CHINESE, ALONE_CHINESE, "西风 x2.md", "十个小时"),
    Said("那它的价格呢？", "那X2的价格呢？", "西风 X2 的价格是多少？", "西风 x2.md", "1999"),
    Said("重量呢？", "那X2的重量呢？", "西风 X2 的重量是多少？", "西风 x2.md", "310"),
    Said("那X3呢？", "那X3的重量呢？", "西风 X3 的重量是多少？", "西风 x3.md", "290"),
    Said("它支持快充吗？", "X3支持快充吗？", "西风 X3 支持快充吗？", "西风 x3.md", "快充"),
    Said("它的保修期是多久？", "X3的保修期是多久？", "西风 X3 的保修期是多久？", "西风 x3.md", "三十六个月"),
]


@pytest.fixture(scope="module")
def shop(indexing: Callable[[], Indexed]) -> Indexed:
    made = indexing()
    made.add("default", DOCUMENTS)
    return made


class Replies:
    """What the server says: of a follow-up the question written out, else the line of the passages with the fact, cited."""

    def __init__(self, conversation: list[Said]) -> None:
        self.conversation, self.server = conversation, ModelServer()

    def __iter__(self) -> Iterator[str]:
        told, *_, asked = (message["content"] for message in self.server.requests[-1].body["messages"])
        said = next(each for each in self.conversation if asked in (each.message, each.by_model))
        passages = re.findall(r"^\[(\d+)\] \([^\n]*\)\n<<<\n(.*?)\n>>>", told, re.MULTILINE | re.DOTALL)
        if not passages:
            return iter([f"1. {said.by_model}"])
        lines = ((number, line) for number, text in passages for line in text.splitlines() if said.fact in line)
        number, line = next(lines)
        return iter([f"{line} [{number}]"])


@pytest.mark.parametrize("conversation", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("with_model", [False, True], ids=["by rules", "by a model"])
def test_five_follow_ups(shop: Indexed, conversation: list[Said], with_model: bool) -> None:
    replies = Replies(conversation)
    replies.server.words = replies  # type: ignore[assignment]
    with replies.server as server:
        turn = shop.turn(chat_at(server) if with_model else None)
        history: list[tuple[str, str]] = []
        for number, said in enumerate(conversation):
            answer = turn.ask(said.message, history)
            searched = said.by_model if with_model else said.by_rules
            assert (answer["question"], answer["standalone_question"], answer["query"]) == (said.message, searched, searched)
            assert answer["standalone_by"] == (("by_model" if with_model else "by_rules") if number else "as_asked")
            assert not answer["refused"], said.message
            check_answer(shop, answer, said)
            assert answer["mode"] == ("llm" if with_model else "extractive")
            history += [("human", said.message), ("ai", answer["answer"])]
        asked = [request.body["messages"] for request in server.requests]
    if with_model:
        assert len(asked) == 2 * len(conversation) - 1, "the first question is not written out"
        assert conversation[3].message in asked[-2][0]["content"], "the conversation is shown"


def check_answer(shop: Indexed, answer: dict[str, Any], said: Said) -> None:
    """The fact is in the answer, the first citation is in its document, and the quote stands there."""
    assert said.fact in answer["answer"], said.message
    citation = answer["citations"][0]
    assert citation["source"] == said.source, said.message
    assert citation["quote"] == shop.library.text(citation["doc_id"])[citation["start"] : citation["end"]]
    assert answer["contexts"][citation["n"] - 1]["chunk_id"] == citation["chunk_id"]


@pytest.mark.parametrize(
    ("thanks", "follow_up", "alone"),
    [("Thanks!", "And its price?", "And Zephyr X2's price?"), ("谢谢你！", "那它的价格呢？", "那X2的价格呢？")],
    ids=["en", "zh"],
)
def test_small_talk_in_between_does_not_lose_the_subject(shop: Indexed, thanks: str, follow_up: str, alone: str) -> None:
    first = ENGLISH[0] if thanks.isascii() else CHINESE[0]
    history = [("human", first.message), ("ai", f"{first.fact} [1]")]
    reply = shop.turn().ask(thanks, history)
    assert (reply["route"], reply["contexts"], reply["citations"], reply["refused"]) == ("none", [], [], True)
    history += [("human", thanks), ("ai", reply["answer"])]
    assert shop.turn().ask(follow_up, history)["standalone_question"] == alone


@pytest.mark.parametrize(
    ("question", "sources"),
    [
        ("What is the weight of the Zephyr X2, and of the Zephyr X3?", {"zephyr x2.md", "zephyr x3.md"}),
        ("What is the price of the Boreas lamp, and what about the Zephyr X3?", {"boreas lamp.md", "zephyr x3.md"}),
        ("西风 X2 的重量是多少，西风 X3 呢？", {"西风 x2.md", "西风 x3.md"}),
        ("北风台灯的价格是多少，西风 X2 呢？", {"北风台灯.md", "西风 x2.md"}),
    ],
)
def test_what_the_second_half_leaves_out_is_searched_for_as_well(shop: Indexed, question: str, sources: set[str]) -> None:
    answer = shop.ask(question)
    assert (answer["route"], answer["refused"]) == ("complex", False)
    assert {citation["source"] for citation in answer["citations"]} == sources, [query["text"] for query in answer["queries"]]


@pytest.mark.parametrize(
    ("before", "question", "in_context", "foreign"),
    [
        (
            "When does the Harbour Museum open?",
            "Can I bring my dog?",
            "Can I bring my dog? (Harbour Museum)",
            "Can I fly to the moon?",
        ),
        ("港口博物馆几点开门？", "学生便宜一点吗？", "学生便宜一点吗？（港口博物馆）", "火星上有水吗？"),
    ],
    ids=["en", "zh"],
)
def test_what_finds_no_answer_by_itself_is_asked_of_the_topic(
    shop: Indexed, before: str, question: str, in_context: str, foreign: str
) -> None:
    history = [("human", before), ("ai", "10 [1]")]
    assert shop.turn().ask(question)["refused"]
    answer = shop.turn().ask(question, history)
    assert (answer["standalone_question"], answer["standalone_by"], answer["refused"]) == (in_context, "by_rules", False)
    assert {"code": "asked_in_context", "params": {"question": in_context}} in answer["notes"]
    unknown = shop.turn().ask(foreign, history)
    assert (unknown["standalone_question"], unknown["refused"]) == (foreign, True)
