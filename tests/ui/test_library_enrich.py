"""Enrichment on the library's page: its cost first, then begun, followed and told, on the real services and a real endpoint."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.ingest.enriching import Writer
from tests.ingest.pdf_pages import Picture, Text, draw
from tests.ingest.pictures import written
from tests.ui.pages import add, checked, press, said, shown, until
from ui.components.library_enrich import KINDS
from ui.services import Services

APPLES = "# Apples\n\nApples are picked in autumn.\n\n# 退款\n\n退款期限为三十天。\n"
KEYWORDS = "---\nkeywords: [Garden, 花园]\n---\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Writer]:
    """A chat model; to be asked for before the services."""
    with Writer(reply=lambda _: "When are they picked?") as server:
        for name, value in {
            "PROVIDER": "openai",
            "MODEL": "talker",
            "BASE_URL": server.base_url,
            "TIMEOUT_SECONDS": "0.9",
        }.items():
            monkeypatch.setenv(f"GLASSBOX_LLM__{name}", value)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
        yield server


def chosen(services: Services, page: AppTest, *kinds: str, of: str = "") -> AppTest:
    """What these kinds take, counted."""
    base = services.library.base("default")
    key = f"enrich:{of or base.id}"
    for kind in kinds:
        page = checked(page.checkbox(key=f"{key}:{kind}").set_value(True).run())
    press(page, f"{key}:count")
    return settled(services)


def base_id(services: Services) -> str:
    return services.library.base("default").id


def settled(services: Services) -> AppTest:
    until(lambda: (told := services.enriching.progress(base_id(services))) is None or not told.under_way)
    return shown(services, "library")


def test_the_cost_is_told_then_it_is_written_and_what_was_written_stands_in_the_report(server: Writer, real: Services) -> None:
    add(real, "default", garden_md=APPLES, b_txt="Boats float.")
    page = chosen(real, shown(real, "library"), "questions", "rewrite")
    assert "calls: 2, tokens read: about" in said(page)
    assert "<dt>Model</dt><dd>talker</dd>" in said(page)
    assert "calls: 1,000, tokens: 1,000,000" in said(page)
    assert server.requests == []
    press(page, f"enrich_start:{base_id(real)}")
    page = settled(real)
    assert "questions: " in page.success[0].value.replace("\\", "")
    documents = real.library.documents(real.library.base("default"))
    page = press(shown(real, "library", d=documents[1].doc_id), f"enrich_close:{base_id(real)}")
    assert "<dt>Written by a model</dt><dd>questions: 1 · summaries and rewritten passages: 1</dd>" in said(page)
    assert re.search(r"<dt>Time</dt><dd>reading \d+\.\d\d s · splitting", said(page)), "seconds by stage are kept"


def test_pictures_are_described_once_it_is_said_where_they_go(server: Writer, real: Services) -> None:
    server.reply = lambda _: "A chart of <b>boats</b>."
    chart = Picture(written(["Boats", "by year"], size=(300, 200)), 100, 300, 300, 200)
    add(real, "default", boats_pdf=draw([[Text(50, 50, "Boats float."), chart]]))
    key = f"enrich:{base_id(real)}"
    page = checked(shown(real, "library").checkbox(key=f"{key}:figures").set_value(True).run())
    assert "The pictures stay on this machine (talker)." in said(page).replace("\\", "")
    press(page, f"{key}:count")
    page = settled(real)
    assert "<dt>Pictures and diagrams</dt><dd>calls: 1" in said(page)
    press(page, f"enrich_start:{base_id(real)}")
    assert "described pictures: 1" in settled(real).success[0].value.replace("\\", "")
    [document] = real.library.documents(real.library.base("default"))
    assert real.library.text(document.doc_id).endswith(
        "[Picture 1, page 1, described by the model talker]\nA chart of <b>boats</b>."
    )
    page = shown(real, "library", d=document.doc_id)
    assert "<dt>Written by a model</dt><dd>described pictures: 1</dd>" in said(page)


def test_one_document_alone_and_what_fails_says_what_remains_and_why(server: Writer, real: Services) -> None:
    add(real, "default", garden_md=APPLES, b_txt="Boats float.")
    boats = real.library.documents(real.library.base("default"))[0]
    server.reply = lambda _: ("unauthorized", "")
    page = chosen(real, shown(real, "library", d=boats.doc_id), "questions", of=boats.doc_id)
    assert "What it would take, for documents: 1" in said(page).replace("\\", "")
    press(page, f"enrich_start:{base_id(real)}")
    page = settled(real)
    words = page.warning[0].value.replace("\\", "")
    assert "Calls that remain: 1." in words
    assert "key" in words
    assert "sk-test" not in said(page)
    assert "Calls that failed: 1" in said(page)


def test_without_a_model_it_says_so_and_keywords_still_become_tags(real: Services) -> None:
    add(real, "default", garden_md=KEYWORDS + APPLES)
    base = real.library.base("default")
    page = shown(real, "library")
    assert "llm.provider is none" in page.info[0].value
    assert all(page.checkbox(key=f"enrich:{base.id}:{kind}").disabled for kind in KINDS)
    assert page.button(key=f"enrich:{base.id}:count").disabled, "nothing is chosen"
    page = chosen(real, page, "keywords")
    press(page, f"enrich_start:{base_id(real)}")
    assert "documents with new tags: 1" in settled(real).success[0].value.replace("\\", "")
    assert real.library.documents(base)[0].tags == ("Garden", "花园")
