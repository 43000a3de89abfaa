"""Running text out of what models write: without thoughts, fences, preambles, labels and afterwords, and with all the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.prose import prose

TEXT = "Apples are picked in autumn: by hand."
CHINESE = "退款期限为三十天：自签收之日起。"


@pytest.mark.parametrize(
    "written",
    [
        TEXT,
        f"  \n{TEXT}\n",
        f"Sure! Here is a summary of the passage:\n\n{TEXT}",
        f"Here's the rewritten passage:\n{TEXT}",
        f"Certainly!\n\n{TEXT}",
        f"Summary: {TEXT}",
        f"**Summary:** {TEXT}",
        f"## Summary:\n{TEXT}",
        f"```\n{TEXT}\n```",
        f"Here is the summary:\n\n```text\n{TEXT}\n```",
        f"```markdown\nSummary: {TEXT}",
        f'"{TEXT}"',
        f"<think>What does it say? Summary: nothing.</think>\n\n{TEXT}",
        f"{TEXT}\n\nLet me know if you need more!",
        f"{TEXT}\n\nI hope this helps.",
    ],
)
def test_the_text_is_left_alone(written: str) -> None:
    assert prose(written) == TEXT


@pytest.mark.parametrize(
    "written",
    [
        f"好的，以下是该段落的概括：\n\n{CHINESE}",
        f"以下是改写后的段落：\n{CHINESE}",
        f"摘要：{CHINESE}",
        f"“{CHINESE}”",
        f"当然！\n{CHINESE}",
        f"{CHINESE}\n\n希望对您有帮助！",
    ],
)
def test_in_chinese_too(written: str) -> None:
    assert prose(written) == CHINESE


@pytest.mark.parametrize("written", ["", "  \n", "<think>I wonder", "```\n```", "<think>a</think>"])
def test_nothing_is_nothing(written: str) -> None:
    assert prose(written) == ""


@pytest.mark.parametrize(
    "written",
    [
        "Run this:\n\n```sh\nmake\n```\n\nThen wait.",
        "Great care is needed: bees sting.",
        "Okay is a word.",
        '"Yes" and "no" are answers.',
        "可以退款的期限为三十天。",
        "这是一份合同，共三页。",
        "描述性统计用于概括数据。",
        "当然人是自然人。",
    ],
)
def test_what_only_looks_like_a_preamble_stays(written: str) -> None:
    assert prose(written) == written


@given(st.text())
def test_it_takes_anything_and_adds_nothing(written: str) -> None:
    assert prose(written) in written
