"""Rows of workbooks, stored as paragraphs, are shown as tables again, with nothing lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ingest.loaders import get_loader
from settings.ingest import IngestSettings
from ui.components.document_view_html import rows_html
from ui.row_table import Group, groups


def stored(csv: str) -> str:
    [document] = get_loader("a.csv", csv.encode(), IngestSettings()).lazy_load()
    return document.page_content


def values(text: str, group: Group) -> list[list[str]]:
    return [[text[slice(*row.cells[name])] if name in row.cells else "" for name in group.columns] for row in group.rows]


def test_rows_are_below_the_names_of_their_columns() -> None:
    text = stored("商品,价格,备注\n绳子,12.50,\n铃铛,99.00,红色: 大\n")
    [group] = groups(text, (0, len(text)))
    assert group.columns == ["商品", "价格", "备注"]
    assert values(text, group) == [["绳子", "12.50", ""], ["铃铛", "99.00", "红色: 大"]]


def test_headings_begin_tables_and_the_rows_that_are_not_shown_are_left_out() -> None:
    text = "# Stock\n\nItem: Rope\nPrice: 1\n\n# Staff\n\nName: Ann\nAge: 40\n\nName: Bo\nAge: 41"
    found = groups(text, (0, len(text)))
    assert [(group.title, group.columns, len(group.rows)) for group in found] == [
        ("Stock", ["Item", "Price"], 1),
        ("Staff", ["Name", "Age"], 2),
    ]
    start = text.index("Name: Bo")
    [last] = groups(text, (start, len(text)))
    assert values(text, last) == [["Bo", "41"]]


def test_names_that_come_twice_and_values_of_several_lines_stay() -> None:
    text = "Day: Mon\nDay: Tue\nNote: first\nsecond line"
    [group] = groups(text, (0, len(text)))
    assert group.columns == ["Day", "Day (2)", "Note"]
    assert values(text, group) == [["Mon", "Tue", "first\nsecond line"]]


def test_the_passages_rows_stand_out_and_exactly_it_is_marked() -> None:
    text = "Item: Rope\nPrice: 12\n\nItem: <b>Bell</b>\nPrice: 99"
    start = text.index("Item: <b>")
    html = rows_html(text, groups(text, (0, len(text))), [(start, len(text))])
    assert re.findall(r"<th>(.*?)</th>", html) == ["Item", "Price"]
    assert html.count("gb-chosen") == 1
    assert re.findall(r"<mark>(.*?)</mark>", html) == ["&lt;b&gt;Bell&lt;/b&gt;", "99"]
    assert html.count("gb-here") == 1


@given(st.text(alphabet=st.sampled_from("ab: #\n|<退")))
def test_no_character_but_names_colons_and_breaks_is_lost(text: str) -> None:
    found = groups(text, (0, len(text)))
    shown = sum(end - start for group in found for row in group.rows for start, end in row.cells.values())
    named = sum(len(name) for group in found for row in group.rows for name in row.cells)
    assert len([ch for ch in text if ch not in ": #\n"]) <= shown + named + sum(len(group.title) for group in found)
