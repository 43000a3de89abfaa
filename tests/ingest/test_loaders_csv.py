"""Delimited text: every row stands for itself."""

from __future__ import annotations

import pytest

from tests.ingest.loading import load_one


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_a_row_is_a_paragraph_of_named_values(delimiter: str, name: str) -> None:
    rows = [["名称", "price", "note"], ["麻婆豆腐", "28", "hot"], ["鸡蛋羹", "12", ""]]
    text = "\r\n".join(delimiter.join(row) for row in rows) + "\r\n"
    document = load_one(name, text.encode("gbk"))
    assert document.page_content == "名称: 麻婆豆腐\nprice: 28\nnote: hot\n\n名称: 鸡蛋羹\nprice: 12"
    assert document.metadata["format"] == "text"
    assert document.metadata["encoding"] == "gbk"


def test_commas_in_cells_do_not_decide_and_letters_never_do() -> None:
    text = load_one("a.csv", b"name; text\nLorem, ipsum; dolor, sit\nut, labore; et, dolore, magna\n").page_content
    assert text == "name: Lorem, ipsum\ntext: dolor, sit\n\nname: ut, labore\ntext: et, dolore, magna"
    assert load_one("a.csv", b"data\nanna\nbanana\n").page_content == "data: anna\n\ndata: banana"


def test_a_cell_with_line_breaks_stays_in_its_row() -> None:
    text = load_one("a.csv", b'q,a\n"one\n\n\ntwo ""quoted""",yes\nnext,no\n').page_content
    assert text == 'q: one\ntwo "quoted"\na: yes\n\nq: next\na: no'


def test_a_very_long_cell_is_kept() -> None:
    long = "退款" * 150_000
    assert load_one("a.csv", f"a,b\n1,{long}\n".encode()).page_content == f"a: 1\nb: {long}"


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_rows() -> None:
    text = load_one("a.csv", b'size,name\n"5 inch,disk\n7,drive\n').page_content
    assert text == 'size: "5 inch\nname: disk\n\nsize: 7\nname: drive'


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("1,2\n3,4\n", "1\n2\n\n3\n4"),  # numbers are no header
        ("a,b\n", "a\nb"),  # nor is a single row
        ("a,a\n1,2\n", "a: 1\na 2: 2"),
        (",b\n1,2\n", "1\nb: 2"),
        ("a,b\n1\n1,2,3\n", "a: 1\n\na: 1\nb: 2\n3"),
        ("a,b\n\n,\n1,2\n", "a: 1\nb: 2"),
    ],
)
def test_headers_and_ragged_rows(rows: str, expected: str) -> None:
    assert load_one("a.csv", rows.encode()).page_content == expected
