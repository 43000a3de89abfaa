"""Headers, footers and page numbers are left out where they repeat, and told; words are kept once, and facts stay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ingest.loading import load
from tests.ingest.pdf_pages import HIGH, Sheet, Text, draw, lines

BODY = ["The harbour was built in the year of the flood and", "has been widened twice since then, once for the coal", "ships."]


def book(pages: int, header: Callable[[int], str], footer: Callable[[int], str]) -> list[Sheet]:
    sheets: list[Sheet] = []
    for page in range(1, pages + 1):
        edges = [Text(60, 40, header(page)), Text(300, HIGH - 30, footer(page))]
        sheets.append([piece for piece in (*edges, *lines(60, 100, [f"Chapter {page * page} of many.", *BODY])) if piece.text])
    return sheets


def read(sheets: list[Sheet]) -> tuple[list[str], list[list[str]]]:
    documents = load("a.pdf", draw(sheets))
    return [document.page_content for document in documents], [document.metadata.get("repeated", []) for document in documents]


@pytest.mark.parametrize("number", ["{}", "- {} -", "Page {} of 4", "第 {} 页", "{}/4"])
def test_page_numbers_go_from_all_pages_and_are_told(number: str) -> None:
    texts, gone = read(book(4, lambda page: "", lambda page: number.format(page)))
    assert gone == [[number.format(page)] for page in (1, 2, 3, 4)]
    assert all(text.endswith("ships.") for text in texts)


def test_numbers_that_begin_elsewhere_and_roman_ones_are_page_numbers_too() -> None:
    texts, gone = read(book(4, lambda page: "", lambda page: f"{page + 16}"))
    assert gone == [["17"], ["18"], ["19"], ["20"]]
    texts, gone = read(book(4, lambda page: "", lambda page: ["i", "ii", "iii", "iv"][page - 1]))
    assert gone == [["i"], ["ii"], ["iii"], ["iv"]]
    assert all(text.endswith("ships.") for text in texts)


def test_words_of_a_header_stay_where_they_come_first_so_that_none_is_lost() -> None:
    texts, gone = read(book(4, lambda page: f"港口年度报告 Annual Report {page}", lambda page: ""))
    assert texts[0].startswith("港口年度报告 Annual Report 1\n\nChapter 1 of many.")
    assert [text.split("\n")[0] for text in texts[1:]] == ["Chapter 4 of many.", "Chapter 9 of many.", "Chapter 16 of many."]
    assert gone == [[], *([f"港口年度报告 Annual Report {page}"] for page in (2, 3, 4))]


def test_headers_of_left_and_right_pages_go() -> None:
    texts, _ = read(book(8, lambda page: "The Harbour" if page % 2 else "By the Keeper", lambda page: ""))
    assert ["The Harbour" in text for text in texts] == [True, *[False] * 7]
    assert ["By the Keeper" in text for text in texts] == [False, True, *[False] * 6]


def test_on_two_pages_nothing_repeats_yet() -> None:
    texts, gone = read(book(2, lambda page: "The Harbour", lambda page: f"{page}"))
    assert all(text.startswith("The Harbour") and text.endswith(f"{n}") for n, text in enumerate(texts, start=1))
    assert gone == [[], []]


def test_a_number_that_does_not_count_pages_says_something_and_stays() -> None:
    texts, _ = read(book(4, lambda page: f"Invoice {[815, 14, 77, 3][page - 1]}", lambda page: ""))
    assert [text.split("\n")[0] for text in texts] == ["Invoice 815", "Invoice 14", "Invoice 77", "Invoice 3"]


def test_the_first_line_of_the_text_stays_though_it_is_the_same_on_all_pages() -> None:
    texts, _ = read([lines(60, 60, ["Order form of the harbour office", *BODY]) for _ in range(4)])
    assert all(text.startswith("Order form of the harbour office") for text in texts)


def test_what_is_all_of_a_page_stays() -> None:
    texts, gone = read([[Text(60, 40, f"Page {page}")] for page in range(1, 5)])
    assert texts == ["Page 1", "Page 2", "Page 3", "Page 4"]
    assert gone == [[]] * 4


def test_a_line_in_the_middle_of_the_pages_stays() -> None:
    texts, _ = read([[*sheet, Text(60, 400, "See the plan.")] for sheet in book(4, lambda page: "", lambda page: "")])
    assert all("See the plan." in text for text in texts)
