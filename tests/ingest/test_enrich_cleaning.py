"""Cleaning: what it changes and what it leaves, and that pages, rows and chunks are slices of what is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document import LoadedDocument, PageSpan, RowSpan
from ingest.enrich.cleaning import cleaned
from settings.enrich import CleaningSettings
from tests.ingest.desk import Desk

ALL = CleaningSettings(boilerplate=True)


def text_of(text: str, *, prose: bool = True, markdown: bool = False, chosen: CleaningSettings = ALL) -> str:
    return cleaned(LoadedDocument("a.txt", text, markdown=markdown), chosen, prose=prose).text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("The oﬃce ﬁles a ﬂoor plan.", "The office files a floor plan."),
        ("⼤⻓⾦", "大长金"),
        ("pay\u202e001\u202c now\U000e0069\U000e0067\U000e006e", "pay001 now"),
        ("England \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f wins", None),
        ("A long exam-\nple of it.", "A long example of it."),
        ("A long exam\u2010 \n  ple of it.", "A long example of it."),
        ("The well-known and well-\nknown case.", "The well-known and well-known case."),
        ("A state-of-the-\nart pump.", "A state-of-the-art pump."),
        ("water power, the water-\npower plant", "water power, the water-power plant"),
        ("pre-\nand post-war", None),
        ("Saint-\nPetersburg", None),
        ("see page 3-\n5 of it", None),
        ("- a\n- b\n\n---\n\ntext", None),
        ("x-\nray of the hand", "x-ray of the hand"),
        ("退款期限为三十天-\n每年", None),
        ("", None),
    ],
)
def test_what_is_cleaned_and_what_is_left(text: str, clean: str | None) -> None:
    assert text_of(text) == (text if clean is None else clean)


def test_code_and_data_lose_only_hidden_signs() -> None:
    assert text_of("x = 'ﬁ' # exam-\nple\U000e0041", prose=False) == "x = 'ﬁ' # exam-\nple"
    fenced = "Text of an exam-\nple.\n\n```\nname-\nvalue\n```\n"
    assert text_of(fenced, markdown=True) == "Text of an example.\n\n```\nname-\nvalue\n```\n"


def test_each_part_can_be_switched_off() -> None:
    text = "The oﬃce exam-\nple"
    assert text_of(text, chosen=CleaningSettings(enabled=False)) == text
    assert text_of(text, chosen=CleaningSettings(hyphens=False)) == "The office exam-\nple"


def printed(line: str) -> str:
    return "\n".join(
        f"{line}\nPage {n} tells of matter {n}, at length, in {n + 3} words and more.\n" + "Text.\n" * 3 for n in range(9)
    )


def test_a_line_of_every_page_stays_once_and_is_told() -> None:
    line = "ACME Corp - confidential"
    document = cleaned(LoadedDocument("a.txt", printed(line)), ALL, prose=True)
    assert document.text.count(line) == 1
    assert document.text.startswith(line)
    assert document.left_out == ((line, 8),)
    assert all(f"matter {n}," in document.text for n in range(9))
    assert text_of(printed(line), chosen=CleaningSettings()).count(line) == 9, "only where it is asked for"


@pytest.mark.parametrize("line", ["# Answer of the firm", "| a | b | c |", "- one of the items", "1. one of the items", "No."])
def test_headings_lists_and_rows_are_no_boilerplate(line: str) -> None:
    assert text_of(printed(line)).count(line) == 9


def test_what_a_person_repeats_is_no_boilerplate() -> None:
    song = "And so we sing again\n" * 6 + "\n" + "A verse.\n" * 40 + "And so we sing again\n" * 3
    assert text_of(song) == song


SIGNS = st.text(alphabet="ab -\n\u2010ﬁﬃ⼤大。|#\U000e0041\u202e")


@given(st.lists(SIGNS, min_size=1, max_size=6), st.booleans())
def test_pages_and_rows_hold_what_they_held(parts: list[str], prose: bool) -> None:
    text, places = "", []
    for part in parts:
        places.append((len(text), len(text) + len(part)))
        text += part + "\n\n"
    pages = tuple(PageSpan(n, *place) for n, place in enumerate(places, start=1))
    rows = tuple(RowSpan(None, n, *place) for n, place in enumerate(places, start=1))
    chosen = CleaningSettings(hyphens=False)
    document = cleaned(LoadedDocument("a.txt", text, pages=pages, rows=rows), chosen, prose=prose)
    for part, page, row in zip(parts, document.pages, document.rows, strict=True):
        alone = cleaned(LoadedDocument("a.txt", part), chosen, prose=prose).text
        assert document.text[page.start : page.end] == document.text[row.start : row.end] == alone


@given(SIGNS)
def test_spans_stay_in_order_and_nothing_visible_is_lost(text: str) -> None:
    pages = tuple(PageSpan(n, n, n + 1) for n in range(len(text)))
    document = cleaned(LoadedDocument("a.txt", text, pages=pages), CleaningSettings(), prose=True)
    places = [(page.start, page.end) for page in document.pages]
    assert places == sorted(places)
    assert all(0 <= start <= end <= len(document.text) for start, end in places)
    kept = "".join(text.split()).replace("ﬁ", "fi").replace("ﬃ", "ffi").replace("⼤", "大")
    visible = [sign for sign in kept if sign not in "-\u2010\U000e0041\u202e"]
    assert [sign for sign in "".join(document.text.split()) if sign not in "-\u2010"] == visible


def test_chunks_are_slices_of_the_cleaned_text(desk: Desk) -> None:
    report = desk.add("office.txt", "The oﬃce keeps every exam-\nple of its ﬁles.", chunk_overlap=0)
    assert report.status == "indexed"
    assert desk.library.text(str(report.doc_id)) == "The office keeps every example of its files."
    assert desk.lexical("office") == desk.lexical("example") == desk.lexical("files") == ["office.txt"]
    desk.check()
    desk.add("raw.txt", "The oﬃce has an exam-\nple.", **{"enrich.cleaning.enabled": False})
    assert desk.library.text(str(desk.library.find(desk.base, "raw.txt").doc_id)) == "The oﬃce has an exam-\nple."  # type: ignore[union-attr]


def test_the_report_tells_of_lines_that_were_left_out(desk: Desk) -> None:
    report = desk.add("printed.txt", printed("ACME Corp - confidential"), **{"enrich.cleaning.boilerplate": True})
    [warning] = report.warnings
    assert (warning["code"], warning["params"]) == ("lines_left_out", {"count": 8, "lines": "ACME Corp - confidential"})
    desk.check()
