"""The preview of two strategies on the real services: nothing of it is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.files import make_pdf
from tests.ui.pages import add, checked, said, shown
from ui.services import Services

FRUIT = "# Fruit\n\n" + "Apples grow on trees and fall in autumn. " * 30 + "\n\n# Sea\n\n" + "Whales swim in the cold sea. " * 40
EVIL = "<img src=x onerror=alert(1)> ![x](http://evil.example)"


def charts(page: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]


def with_file(page: AppTest, name: str, data: bytes) -> AppTest:
    page.file_uploader(key="preview_file").upload(name, data, "application/octet-stream")
    return checked(page.run())


def test_two_strategies_are_shown_side_by_side_and_nothing_is_stored(real: Services) -> None:
    page = with_file(shown(real, "preview"), "fruit.md", FRUIT.encode())
    words = said(page)
    assert "<dt>Cut by</dt><dd>Semantic</dd>" in words
    assert "<dt>Cut by</dt><dd>Recursive</dd>" in words
    assert "<dt>Threshold</dt><dd>0." in words
    assert words.count('<b class="gb-n">1</b>') == 2
    sizes, curve, other = charts(page)
    assert sizes["mark"]["type"] == other["mark"]["type"] == "bar"
    assert [layer["mark"]["type"] for layer in curve["layer"]] == ["line", "point", "rule"]
    assert real.library.bases() == []


def test_other_settings_make_other_chunks_at_once(real: Services) -> None:
    page = with_file(shown(real, "preview"), "fruit.md", FRUIT.encode())
    before = said(page).count("gb-n")
    page = checked(page.selectbox(key="preview_b:ingest.chunker:en").set_value("sentence").run())
    page = checked(page.number_input(key="preview_b:ingest.chunk_sentences").set_value(1).run())
    assert said(page).count("gb-n") > before + 30
    page = checked(page.selectbox(key="preview_b:ingest.chunker:en").set_value("semantic").run())
    assert len(charts(page)) == 4


def test_a_document_of_the_base_is_previewed_from_its_kept_bytes(real: Services) -> None:
    add(real, "default", fruit_md=FRUIT, evil_txt=EVIL)
    evil, fruit = real.library.documents(real.library.base("default"))
    assert "Whales" in said(shown(real, "preview", d=fruit.doc_id))
    words = said(shown(real, "preview", d=evil.doc_id))
    assert "&lt;img src=x" in words
    assert "<img" not in words
    assert [each.report for each in real.library.documents(real.library.base("default"))] == [evil.report, fruit.report]


def test_a_file_that_cannot_be_read_says_why(real: Services) -> None:
    page = with_file(shown(real, "preview"), "bad.pdf", b"%PDF-1.7 nothing")
    assert "damaged" in page.error[0].value
    assert "no words" in said(page) or not charts(page)


def test_an_encrypted_file_asks_for_its_password_and_stays_open(real: Services) -> None:
    page = with_file(shown(real, "preview"), "a.pdf", make_pdf(["The refund period is thirty days."], user_password="s3cret"))
    assert "password" in page.error[0].value
    page = checked(page.text_input(key="preview_password").set_value("s3cret").run())
    page = checked(page.run())
    assert "refund period" in said(page)
    assert not page.error


def test_a_file_without_text_says_so(real: Services) -> None:
    page = with_file(shown(real, "preview"), "blank.txt", b"   \n ")
    assert page.warning[0].value
    assert charts(page) == []


@pytest.mark.slow
def test_a_long_text_is_drawn_in_parts_up_to_where_it_was_looked_at(real: Services) -> None:
    text = "\n".join(f"Line {n} of a long text." for n in range(1000))
    page = shown(real, "preview")
    page = with_file(page, "long.txt", text.encode())
    assert f"of {len(text):,}" in said(page)
    assert "Line 0 of" in said(page)
    page = checked(page.number_input(key="preview_part").set_value(2).run())
    assert "Line 0 of" not in said(page)
    page = checked(page.selectbox(key="preview_most").set_value(5_000).run())
    assert "Line 0 of" in said(page), "there is no second part then"
