"""Numbers out of what models write: the forms that small models use, and that nothing makes it fail."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import structured
from models.structured import chosen


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ('{"helpful": [1, 3]}', [1, 3]),
        ('```json\n{"helpful": [1, 3]}\n```', [1, 3]),
        ('Sure! Here is the JSON:\n\n{"helpful": ["1", "3"]}\n\nPassage 2 is about something else.', [1, 3]),
        ('{"helpful": [1, 3', [1, 3]),
        ("{'helpful': [1, 3]}", [1, 3]),
        ("{“helpful”: [1, 3]}", [1, 3]),
        ('{"reason": "2 and 4 are off topic", "helpful": [1, 3]}', [1, 3]),
        ('{"not_helpful": [2, 4], "helpful": [1, 3]}', [1, 3]),
        ('{"helpful": "1, 3"}', [1, 3]),
        ('{"helpful": ["[1]", "passage 3"]}', [1, 3]),
        ('{"helpful": [1.0, 3.0]}', [1, 3]),
        ('{"helpful": {"1": true, "2": false, "3": true}}', [1, 3]),
        ('{"1": "yes", "2": "no", "3": "yes"}', [1, 3]),
        (
            '{"passages": [{"passage": 1, "helpful": true}, {"passage": 2, "helpful": false}, {"passage": 3, "helpful": true}]}',
            [1, 3],
        ),
        ('[{"id": 1, "helps": "yes"}, {"id": 2, "helps": "no"}, {"id": 3, "helps": "yes"}]', [1, 3]),
        ('{"id": 1, "helps": true}\n{"id": 2, "helps": false}\n{"id": 3, "helps": true}', [1, 3]),
        ('{"helpful": [true, false, true, false]}', [1, 3]),
        ('For example {"helpful": [2]} would be wrong. {"helpful": [1, 3]}', [1, 3]),
        ('<think>Is it {"helpful": [2]}? Passage 4?</think>{"helpful": [1, 3]}', [1, 3]),
        ("[1, 3]", [1, 3]),
        ("The helpful passages are: [1, 3].", [1, 3]),
        ("[1]\n[3]", [1, 3]),
        ("1, 3", [1, 3]),
        ("1 3", [1, 3]),
        ("1 and 3", [1, 3]),
        ("**1**, **3**", [1, 3]),
        ("3, 1, 3", [3, 1]),
        ("1-3", [1, 2, 3]),
        ("1–2, 4", [1, 2, 4]),
        ("passages 2 to 4", [2, 3, 4]),
        ("[1-3]", [1, 2, 3]),
        ("Passages 1 and 3 help. Passage 2 does not.", [1, 3]),
        ("Passages 1 and 3 help, but 2 doesn't.", [1, 3]),
        ("Passage 1 says 2 weeks, passage 3 says 4 weeks", [1, 3]),
        ("[1] helps; so does [3].", [1, 3]),
        ("1: yes\n2: no\n3: yes\n4: no", [1, 3]),
        ("1. Yes\n2. No\n3. Yes\n4. No", [1, 3]),
        ("1 - true, 2 - false, 3 - true", [1, 3]),
        ("| 1 | yes |\n| 2 | no |\n| 3 | yes |", [1, 3]),
        ("- Passage 1: relevant\n- Passage 2: not relevant\n- Passage 3: relevant", [1, 3]),
        ("１、３", [1, 3]),
        ("①③", [1, 3]),
        ("一、三", [1, 3]),
        ("第一段和第三段有帮助。", [1, 3]),
        ("段落1和3有帮助，段落2没有帮助。", [1, 3]),
        ("1和3有帮助，2没有。", [1, 3]),
        ("有帮助的段落是1到3。", [1, 2, 3]),
        ("1：有帮助\n2：没有帮助\n3：有帮助", [1, 3]),
        ("非常有帮助的是：[1、3]", [1, 3]),
        ('{"有帮助": [1, 3]}', [1, 3]),
        ("3", [3]),
        ("Passage 3 holds the answer: 25 days.", [3]),
        ("Passages 3 and 99", [3]),
    ],
)
def test_a_choice_of_four_in_every_form(written: str, numbers: list[int]) -> None:
    assert chosen(written, 4) == numbers


@pytest.mark.parametrize(
    "written",
    [
        '{"helpful": []}',
        "[]",
        "```json\n[]\n```",
        "None.",
        "none",
        "None of the passages helps.",
        '{"helpful": "none"}',
        "都没有帮助",
        "无",
    ],
)
def test_a_choice_of_none(written: str) -> None:
    assert chosen(written, 4) == []


@pytest.mark.parametrize(
    "written",
    [
        "",
        "   ",
        "The refund takes thirty days.",
        "<think>Passage 1 may",
        '{"helpful": [17, 99]}',
        "Passage 12345",
        "退款期限为三十天。",
        '{"unsupported": [2]}',
        '```json\n{"not_helpful": [2, 4]}\n```',
        '{"无帮助": [2]}',
        '<img src="x" onerror="fetch(1)">',
    ],
)
def test_what_cannot_be_understood(written: str) -> None:
    assert chosen(written, 4) is None


@given(
    st.sets(st.integers(1, 30), min_size=1), st.sampled_from(["json", "fence", "list", "commas", "named", "chinese", "verdicts"])
)
def test_every_choice_comes_back_in_every_form(numbers: set[int], form: str) -> None:
    listed = ", ".join(map(str, sorted(numbers)))
    written = {
        "json": json.dumps({"helpful": sorted(numbers)}),
        "fence": f"Here you are:\n```json\n[{listed}]\n```",
        "list": f"Answer: [{listed}]",
        "commas": listed,
        "named": f"Passages {listed} help. The others do not.",
        "chinese": f"有帮助的是第{'、'.join(map(str, sorted(numbers)))}段。",
        "verdicts": "\n".join(f"[{n}] {'yes' if n in numbers else 'no'}" for n in range(1, 31)),
    }[form]
    assert chosen(written, 30) == sorted(numbers)


TOKENS = [
    "1",
    "2",
    "17",
    "-",
    "[",
    "]",
    "{",
    "}",
    '"helpful"',
    ":",
    ",",
    "no",
    "yes",
    "passage",
    "\n",
    "无",
    "第",
    "一",
    "<think>",
    "true",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(TOKENS)).map(" ".join), st.lists(st.sampled_from(TOKENS)).map("".join)))
def test_nothing_makes_it_fail(written: str) -> None:
    found = chosen(written, 5)
    assert found is None or (set(found) <= {1, 2, 3, 4, 5} and len(found) == len(set(found)))


@pytest.mark.parametrize("piece", ["[", "{", '{"a":', "[[1],", "1-9999 ", "第", "passage "])
def test_a_long_answer_is_read_too(piece: str) -> None:
    assert chosen(piece * 20_000 + '\n{"helpful": [2]}', 4) == [2]


def test_an_answer_of_many_clauses_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each clause anew, 4,000 numbers that a model repeats would take some seconds."""
    searched: list[str] = []

    class Counting:
        findall = staticmethod(structured._NAMED.findall)

        @staticmethod
        def search(text: str) -> object:
            searched.append(text)
            return None

    monkeypatch.setattr(structured, "_NAMED", Counting)
    assert chosen("1\n" * 500, 3) == [1]
    assert len(searched) == 1
