"""A list as small models write it: every shape gives the same items, and talk gives none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.listing import LONGEST_ITEM, listed

A, B, C = "How long is the refund window?", "Within how many days can I return it?", "退款期限是多久？"
SHAPES = {
    "lines": f"{A}\n{B}\n{C}",
    "blank lines": f"\n\n{A}\n\n   \n{B}\n\n{C}\n\n",
    "windows line ends": f"{A}\r\n{B}\r\n{C}\r\n",
    "preamble": f"Here are 3 versions:\n{A}\n{B}\n{C}",
    "preamble without colon": f"Sure! Here are three alternative versions of your question.\n{A}\n{B}\n{C}",
    "chinese preamble": f"好的，以下是三个改写：\n\n{A}\n{B}\n{C}\n\n希望这些对您有帮助！",
    "offer at the end": f"{A}\n{B}\n{C}\n\nLet me know if you need more!\nWould you like more versions?",
    "markdown heading": f"## Queries\n\n{A}\n{B}\n{C}",
    "bold heading": f"**Alternative queries:**\n\n{A}\n{B}\n{C}",
    "1.": f"Here are 3 versions:\n1. {A}\n2. {B}\n3. {C}",
    "1)": f"1) {A}\n2) {B}\n3) {C}",
    "1、": f"1、{A}\n2、{B}\n3、{C}",
    "1．": f"1．{A}\n2．{B}\n3．{C}",
    "(1)": f"(1) {A}\n（2）{B}\n(3) {C}",
    "circled": f"① {A}\n② {B}\n③ {C}",
    "chinese numerals": f"一、{A}\n二、{B}\n三、{C}",
    "number alone": f"1.\n{A}\n2.\n{B}\n3.\n{C}",
    "one line": f"1. {A} 2. {B} 3. {C}",
    "bullets": f"Versions below\n- {A}\n* {B}\n• {C}",
    "indented bullets": f"   - {A}\n   + {B}\n   – {C}",
    "bold numbers": f"**1.** {A}\n**2.** {B}\n**3.** {C}",
    "labels": f"Query 1: {A}\nQuery 2: {B}\nTranslation (Chinese): {C}",
    "bold labels": f"**Version 1:** {A}\n**Version 2:** {B}\n**Version 3:** {C}",
    "numbered labels": f"1. Query: {A}\n2. Question: {B}\n3. 中文：{C}",
    "chinese labels with an adjective": f"独立问题：{A}\n改写后的问题：{B}\n检索查询：{C}",
    "chinese labels": f"改写1：{A}\n改写2：{B}\n翻译：{C}",
    "quotes": f'"{A}"\n"{B}"\n"{C}"',
    "chinese quotes": f"“{A}”\n「{B}」\n『{C}』",
    "numbered quotes": f'1. "{A}",\n2. "{B}",\n3. “{C}”',
    "talk around numbers": f"I rewrote it\n1. {A}\n2. {B}\n3. {C}\nAll of them mean the same",
    "json": json.dumps([A, B, C]),
    "json, escaped": json.dumps([A, B, C], ensure_ascii=True, indent=2),
    "json in a fence": f"Here you go:\n```json\n{json.dumps([A, B, C])}\n```\nHope this helps!",
    "lines in a fence": f"```\n{A}\n{B}\n{C}\n```",
    "open fence": f"```json\n{json.dumps([A, B, C])}",
    "object with a list": json.dumps({"language": "en", "queries": [A, B, C]}),
    "object in a fence": f"```json\n{json.dumps({'queries': [A, B, C]}, indent=1)}\n```",
    "list of objects": json.dumps([{"id": 1, "query": A, "why": "other words"}, {"query": B}, {"query": C}]),
    "object of texts": json.dumps({"1": A, "2": B, "3": C}),
    "json lines": "\n".join(json.dumps({"query": q}) for q in (A, B, C)),
    "json after talk": f"The list is\n{json.dumps([A, B, C])}",
    "comma too many": f'["{A}", "{B}", "{C}",]',
    "cut off": f'["{A}", "{B}", "{C}", "And what hap',
    "single quotes": f"['{A}', '{B}', '{C}']",
    "thinking": f"<think>The user wants\n1. this\n2. that</think>\n\n1. {A}\n2. {B}\n3. {C}",
    "end of thinking": f"some thoughts\n</think>\n- {A}\n- {B}\n- {C}",
    "quotation": f"> {A}\n> {B}\n> {C}",
    "repeated": f"{A}\n{B}\n{A.lower()}\n{C}\n{B}",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_items(shape: str) -> None:
    assert listed(SHAPES[shape]) == [A, B, C]


@pytest.mark.parametrize(
    "written",
    [
        "", "   \n\n", "NONE", "None.", "无", "N/A", "[]", '{"queries": []}', "```json\n[]\n```", "```\n```", "```json",
        "Here are 3 versions:",
        "以下是改写：", "# Queries", "---", "<think>I wonder", "Sorry, I cannot do that.",
        "I'm sorry, but I can't help with that.",
        "抱歉，我无法回答。", "1.\n2.\n3.", "- \n- ", "[" * 100_000, '"' * 5000, "x" * (LONGEST_ITEM + 1),
    ],
)  # fmt: skip
def test_nothing_gives_nothing(written: str) -> None:
    assert listed(written) == []


@pytest.mark.parametrize(
    "item",
    [
        "3.5 inch disk sizes", "2024 sales in Asia", "10:30 trains to Rome",
        "-5 degrees", "[1] is cited where?", "C++ templates", "What is 1) for?",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_marker_stays(item: str) -> None:
    assert listed(item) == [item]
    assert listed(f"1. {item}\n2. {A}") == [item, A]


def test_an_item_keeps_the_quotes_inside_it() -> None:
    assert listed('1. What does "refund" mean in "Terms"?\n2. "Terms" and "refund"') == [
        'What does "refund" mean in "Terms"?', '"Terms" and "refund"'
    ]  # fmt: skip


@given(st.text(max_size=300))
def test_any_text_gives_clean_items(written: str) -> None:
    items = listed(written)
    assert all(item == " ".join(item.split()) and 0 < len(item) <= LONGEST_ITEM for item in items)
    assert len({item.casefold() for item in items}) == len(items)


@given(
    st.lists(
        st.text("abcdefgh 退款期限", min_size=3, max_size=20).map(lambda t: f"z {' '.join(t.split())} y"), max_size=5, unique=True
    )
)
def test_numbers_and_json_say_the_same(items: list[str]) -> None:
    assert listed("\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))) == listed(json.dumps(items)) == items
