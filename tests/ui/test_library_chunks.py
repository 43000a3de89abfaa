"""The chunk browser on the real services, and the colouring of chunks in a text."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from store.library import StoredDocument
from tests.ui.pages import add, checked, menu_of, press, said, shown
from ui.components.chunks_text import Coloured, coloured, occurrences
from ui.safe import escape_html
from ui.services import Services

TERMS = "The refund period is thirty days from the day of delivery. " * 30
FRUIT = "# Fruit\n\n" + "Apples grow on trees and fall in autumn. " * 30 + "\n\n# Sea\n\n" + "Whales swim in the cold sea. " * 40
EVIL = "<img src=x onerror=alert(1)> ![x](http://evil.example)"


def only(services: Services) -> StoredDocument:
    [document] = services.library.documents(services.library.base("default"))
    return document


def test_an_empty_base_says_that_there_is_nothing_to_look_into(real: Services) -> None:
    assert "There is no document" in said(shown(real, "chunks"))


def test_each_chunk_is_shown_with_its_place_heading_and_id(real: Services) -> None:
    add(real, "default", fruit_md=FRUIT)
    chunks = real.chunks("default", "fruit.md").chunks
    assert len(chunks) > 2
    words = said(shown(real, "chunks"))
    for chunk in chunks:
        assert chunk.id in words
        assert f"characters {chunk.start:,}–{chunk.end:,}" in words
    assert "Sea" in words
    assert words.count('<i class="gb-seg">') >= len(chunks)


def test_the_document_of_the_address_is_shown_and_hostile_text_is_text(real: Services) -> None:
    add(real, "default", a_txt=TERMS, evil_txt=EVIL)
    evil = real.library.documents(real.library.base("default"))[1]
    words = said(shown(real, "chunks", d=evil.doc_id))
    assert escape_html(EVIL) in words
    assert "<img" not in words
    assert "refund" not in words


def test_searching_leaves_the_chunks_that_hold_the_words_marked(real: Services) -> None:
    add(real, "default", fruit_md=FRUIT)
    page = checked(shown(real, "chunks").text_input(key="chunks_search").set_value("WHALES swim").run())
    words = said(page)
    assert "<mark>Whales swim</mark>" in words
    assert "Apples" not in words
    page = checked(page.text_input(key="chunks_search").set_value("penguins").run())
    assert "No passage holds that" in said(page)


def test_a_chunk_that_is_switched_off_is_not_found_any_more_until_it_is_on_again(real: Services) -> None:
    add(real, "default", fruit_md=FRUIT)
    found = [c["chunk_id"] for c in real.retrieve("Where do whales swim?", real.settings(), ["default"])["contexts"]]
    page = press(shown(real, "chunks"), f"chunk_switch:{found[0]}")
    assert "switched off: 1" in said(page)
    assert "gb-off" in said(page)
    after = [c["chunk_id"] for c in real.retrieve("Where do whales swim?", real.settings(), ["default"])["contexts"]]
    assert found[0] not in after
    page = press(page, f"chunk_switch:{found[0]}")
    assert "switched off: 1" not in said(page)


def test_a_document_that_is_switched_off_is_not_found_but_still_there(real: Services) -> None:
    add(real, "default", fruit_md=FRUIT)
    doc_id = only(real).doc_id
    page = checked(shown(real, "chunks").toggle(key=f"chunks_on:{doc_id}").set_value(False).run())
    assert not only(real).enabled
    assert real.retrieve("Where do whales swim?", real.settings(), ["default"])["contexts"] == []
    page = shown(real, "library", d=doc_id)
    assert "visibility_off" in "".join(button.label for button in page.button)
    checked(page.toggle(key=f"library_on:{doc_id}").set_value(True).run())
    assert only(real).enabled


def test_a_correction_is_shown_beside_the_original_and_can_be_undone(real: Services) -> None:
    add(real, "default", a_txt="The refund period is thirty days.")
    [chunk] = real.chunks("default", "a.txt").chunks
    page = shown(real, "chunks")
    menu = menu_of(page, chunk.id)
    page.text_area(key=f"chunk_text:{chunk.id}").set_value("The refund period is sixty days.")
    page = checked(next(button for button in page.button if button.label == "Save").click().run())
    assert menu_of(page, chunk.id) != menu, "another one, which is closed, as the correction is kept"
    assert "sixty days" in said(page)
    assert "thirty days" in said(page), "what the document says stays to be seen"
    assert "corrected: 1" in said(page)
    assert ">corrected</span>" in said(page), "the word that the cards of an answer use"
    [context] = real.retrieve("How long is the refund period?", real.settings(), ["default"])["contexts"]
    assert context["text"] == "The refund period is sixty days."
    page = press(page, f"chunk_revert:{chunk.id}")
    assert "sixty days" in said(page), "it is asked for first"
    page = press(page, "chunk_revert_yes")
    assert "sixty" not in said(page)
    assert page.text_area(key=f"chunk_text:{chunk.id}").value == "The refund period is thirty days."


def test_an_empty_correction_is_refused_with_what_to_do(real: Services) -> None:
    add(real, "default", a_txt="The refund period is thirty days.")
    [chunk] = real.chunks("default", "a.txt").chunks
    page = shown(real, "chunks")
    page.text_area(key=f"chunk_text:{chunk.id}").set_value("  ")
    page = checked(next(button for button in page.button if button.label == "Save").click().run())
    assert "switch it off" in page.error[0].value


def test_in_the_text_the_chunks_are_coloured_and_numbered(real: Services) -> None:
    add(real, "default", fruit_md=FRUIT)
    page = shown(real, "chunks")
    page.session_state["chunks_view:en"] = "text"
    words = said(checked(page.run()))
    assert 'class="gb-chunk gb-chunk-1"' in words
    assert '<b class="gb-n">2</b>' in words


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted), max_size=8).map(sorted)


@given(text=st.text(min_size=60, max_size=60), spans=SPANS, found=SPANS)
def test_colouring_changes_no_letter(text: str, spans: list[list[int]], found: list[list[int]]) -> None:
    chunks = [Coloured(start, end, "", "a<b") for start, end in spans]
    drawn = coloured(text, chunks, window=(0, 60), found=[(a, b) for a, b in found])
    assert html.unescape(re.sub(r"<[^<>]*>", "", drawn)) == html.unescape(escape_html(text))


def test_what_two_chunks_share_is_hatched_and_what_is_off_is_struck() -> None:
    drawn = coloured("abcdef", [Coloured(0, 4, "1"), Coloured(2, 6, "2", is_off=True)], window=(0, 6))
    assert re.findall(r'class="(gb-chunk[^"]*)" title="">(\w+)<', drawn) == [
        ("gb-chunk gb-chunk-1", "ab"),
        ("gb-chunk gb-chunk-2 gb-shared", "cd"),
        ("gb-chunk gb-chunk-2 gb-off", "ef"),
    ]


def test_words_are_found_as_they_are_typed() -> None:
    assert occurrences("A+b a+B aab", "a+b") == [(0, 3), (4, 7)]
    assert occurrences("text", " ") == []
    assert occurrences("在後台，后台", "后台") == occurrences("在後台，后台", "後台") == [(1, 3), (4, 6)]
    assert len(occurrences("a" * 50, "a", most=10)) == 10
