"""An answer taken apart: sentences at their places, with their citations, without Markdown, and what is no statement."""

from __future__ import annotations

import pytest

from chains.grounding.statements import statements


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("It opens at nine [1]. It closes at five.[2][3]\n", [("It opens at nine.", (1,)), ("It closes at five.", (2, 3))]),
        ("It opens at nine. [1] It closes at five. [2]", [("It opens at nine.", (1,)), ("It closes at five.", (2,))]),
        ("九点开门[1]。五点关门。[2]", [("九点开门。", (1,)), ("五点关门。", (2,))]),
        ("- **Opening:** nine [1]\n- *Closing*: five [2]", [("Opening: nine", (1,)), ("Closing: five", (2,))]),
        ("1. 九点开门 [1]\n2. 五点关门 [2]", [("九点开门", (1,)), ("五点关门", (2,))]),
        ("| Day | Hours |\n|---|---|\n| Monday | 9 to 5 |", [("Day, Hours", ()), ("Monday, 9 to 5", ())]),
        ("> It costs `5*3*2` euros.", [("It costs 5*3*2 euros.", ())]),
        ("```\nx = 1. [1]\n```\nDone it is.", [("Done it is.", ())]),
    ],
)
def test_the_sentences_of_an_answer(answer: str, parts: list[tuple[str, tuple[int, ...]]]) -> None:
    found = statements(answer)
    assert [(each.text, each.cited) for each in found] == parts
    for each in found:
        assert each.text[:2].strip("*") in answer[each.start : each.end]


@pytest.mark.parametrize(
    "answer",
    [
        "## Opening hours in 2020",
        "**Opening hours**\n\nNine.",
        "There are three kinds:",
        "分为以下三种：",
        "Do you want to know more?",
        "Yes.",
        "是的。",
        "The passages do not mention the price.",
        "There is no information about this in the documents.",
        "文档中没有提到价格。",
        "段落没有说明具体日期。",
        "抱歉，没有找到相关信息。",
    ],
)
def test_what_is_no_statement_is_not_checked(answer: str) -> None:
    assert not statements(answer)[0].checked


@pytest.mark.parametrize(
    "answer", ["The price is not known.", "文件没有加密。", "**Guido van Rossum**", "The documents are kept for ten years."]
)
def test_what_is_a_statement_is_checked(answer: str) -> None:
    assert [each.checked for each in statements(answer)] == [True]


def test_the_last_words_of_an_unfinished_answer_are_not_checked() -> None:
    assert [each.checked for each in statements("It opens at nine. It clo", finished=False)] == [True, False]
    assert [each.checked for each in statements("九点开门。五点关门。", finished=False)] == [True, True]


@pytest.mark.parametrize("answer", ["", "\n\n", "---", "***", "[1]", "|---|"])
def test_nothing_is_no_statement(answer: str) -> None:
    assert statements(answer) == []
