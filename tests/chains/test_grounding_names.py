"""Names in answers: which words are names, and which of them stand in no source, in English and Chinese."""

from __future__ import annotations

import pytest

from chains.grounding.chinese_names import chinese_names
from chains.grounding.names import KnownWords, first_word, follows, latin_names

PANTHERS = "Kawann Short led the team in sacks with 11, and the National Football League named Luke Kuechly to its team."
SPEECH = "吉多·范罗苏姆在阿姆斯特丹创建了这种语言。李四教授在北京大学讲课，张伟带领球队参加了比赛。"


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("The team was led by Luke Kuechly in 2015.", ["Luke", "Kuechly"]),
        ("Luke Kuechly led the team.", ["Luke", "Kuechly"]),
        ("However, the team was led well in March.", []),
        ("It runs on macOS and LanceDB.", ["LanceDB"]),
        ("Common Vector Databases For Everyone Today", []),
        ("常见的向量数据库有 Milvus 和 Qdrant，都支持 PDF。", ["Milvus", "Qdrant"]),
    ],
)
def test_capital_words_within_a_sentence_are_names(sentence: str, names: list[str]) -> None:
    assert [name.text for name in latin_names(sentence)] == names


@pytest.mark.parametrize("name", ["Kuechly", "kuechly", "Kuechly's", "NFL", "Leagues"])
def test_a_name_is_known_in_other_forms(name: str) -> None:
    assert KnownWords(PANTHERS).hold(name)


@pytest.mark.parametrize("name", ["Norman", "NBA", "Kim"])
def test_another_name_is_not_known(name: str) -> None:
    assert not KnownWords(PANTHERS).hold(name)


def test_a_name_at_the_beginning_is_told_by_what_follows() -> None:
    name = first_word("Newton led the team in sacks.")
    assert name
    assert follows("Newton led the team in sacks.", name, "In 2015 Short led the team in sacks with 11.") == "Short"
    assert follows("Newton led the team in sacks.", name, "He led the team in sacks.") == ""


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("这种语言由约翰·史密斯在阿姆斯特丹创建。", ["约翰", "史密斯"]),
        ("这种语言是在鹿特丹创建的。", ["鹿特丹"]),
        ("李四教授在清华大学讲课。", ["清华"]),
        ("王五教授在北京大学讲课。", ["王五"]),
        ("陈强带领球队参加了比赛。", ["陈强"]),
        ("比赛由《体育周报》主办。", ["体育周报"]),
    ],
)
def test_a_chinese_name_that_no_source_has_is_found(sentence: str, wrong: list[str]) -> None:
    found = [name.text for name, _ in chinese_names(sentence, SPEECH, SPEECH)]
    assert any(part in "".join(found) for part in wrong)


def test_what_the_source_has_instead_is_told() -> None:
    nearest = "张伟带领球队参加了比赛。"
    assert [(name.text, other) for name, other in chinese_names("陈强带领球队参加了比赛。", SPEECH, nearest)] == [
        ("陈强", "张伟")
    ]


@pytest.mark.parametrize(
    ("sentence", "nearest", "told"),
    [
        ("陳強帶領球隊參加了比賽。", "张伟带领球队参加了比赛。", ("陳強", "张伟")),
        ("陈强带领球队参加了比赛。", "張偉帶領球隊，參加了比賽。", ("陈强", "張偉")),
        ("比賽由《體育週報》主辦。", "", ("體育週報", "")),
    ],
)
def test_a_name_in_the_other_script_is_told_as_it_was_written(sentence: str, nearest: str, told: tuple[str, str]) -> None:
    ((name, other),) = chinese_names(sentence, SPEECH, nearest)
    assert (name.text, other) == told
    assert told[0] in sentence[name.start : name.end]


@pytest.mark.parametrize(
    "sentence",
    [
        "吉多·范罗苏姆是这种语言的创造者。",
        "李四在北京大学任教，是一位教授。",
        "球队在张伟的带领下取得了优异的成绩。",
        "有许多人前来观看，现场十分热闹。",
        "吉多·范羅蘇姆是這種語言的創造者。",
        "李四在北京大學任教，是一位教授。",
        "球隊在張偉的帶領下取得了優異的成績。",
    ],
)
def test_other_words_for_the_same_are_no_names(sentence: str) -> None:
    assert chinese_names(sentence, SPEECH, SPEECH) == []
