"""A sentence that denies what its passage says, or says what that denies, and the same said in other words."""

from __future__ import annotations

import pytest

from chains.grounding.negation import contradiction
from tests.chains.conftest import Indexed
from tests.chains.test_grounding import CHINESE, QUESTION, missed, said, statuses


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("The battery is not waterproof.", "The battery of the drone is waterproof and may be charged overnight."),
        ("The battery isn't waterproof.", "The battery of the drone is waterproof and may be charged overnight."),
        ("The warranty doesn't cover water damage.", "The warranty covers water damage."),
        ("Refunds are possible after thirty days.", "Refunds are not possible after thirty days."),
        ("Customers cannot cancel the order at any time.", "Customers can cancel the order at any time."),
        ("Mr. Smith approved the design.", "Mr. Smith never approved the design."),
        ("The drone is waterproof and does not float.", "The drone is not waterproof and does not float."),
        ("风翼无人机的电池不是防水的。", "风翼无人机的电池是防水的，可以整夜充电。"),
        ("风翼无人机的电池不防水。", "风翼无人机的电池是防水的，可以整夜充电。"),
        ("三十天后可以退款。", "三十天后不能退款。"),
        ("客户不可以随时取消订单。", "客户可以随时取消订单。"),
        ("王明批准了这个设计。", "王明没有批准这个设计。"),
        ("該公司在上海沒有辦事處。", "该公司在上海设有办事处。"),
    ],
)
def test_the_opposite_is_found_both_ways(statement: str, source: str) -> None:
    assert contradiction(statement, [source])
    assert contradiction(source, [source]) is None
    assert contradiction(statement, [source, statement]) is None, "one source says so"


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Python 3.0 followed in 2008.", "Python 3.0 followed in 2008 and was not compatible with what came before."),
        ("The language is named after a group.", "The language is named after a British comedy group, not after a snake."),
        ("It is a library, not a database.", "It is a library rather than a database."),
        ("The bridge opened in 1990.", "The bridge did not open until 1990."),
        ("Employees may not smoke.", "No employee may smoke."),
        ("The rotor needs no oil.", "The rotor does not need oil."),
        ("The rotor does not need oil.", "The rotor needs no oil."),
        ("Qdrant is not waterproof.", "Neither Milvus nor Qdrant is waterproof."),
        ("It searches not only text but also tables.", "It searches text and tables."),
        ("它是一个向量检索库。", "它是一个向量检索库，而不是独立的数据库。"),
        ("它不仅支持检索，还支持问答。", "它支持检索和问答。"),
        ("大桥于1990年通车。", "大桥直到1990年才通车，之前不能通车。"),
        ("旋翼無需加油。", "旋翼不需要加油。"),
        ("王明未批准这个设计。", "王明没有批准这个设计。"),
    ],
)
def test_the_same_in_other_words_is_none(statement: str, source: str) -> None:
    assert contradiction(statement, [source]) is None


@pytest.mark.parametrize(
    ("question", "words", "right"),
    [
        (
            QUESTION,
            "Python 3.0 was fully compatible with what came before.",
            "Python 3.0 was not fully compatible with what came before.",
        ),
        (CHINESE, "Python 3.0 与之前的版本完全兼容。", "Python 3.0 与之前的版本不完全兼容。"),
    ],
)
def test_an_answer_that_says_what_its_passage_denies_is_marked(indexed: Indexed, question: str, words: str, right: str) -> None:
    answer = said(indexed, words, question)
    assert statuses(answer) == ["unsupported"]
    assert missed(answer) == [("negation", words)]
    assert statuses(said(indexed, right, question)) == ["supported"]
