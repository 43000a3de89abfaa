"""Layers, the trace, "why not found?" and presets, in a real browser on the real app."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.app import PATIENCE
from tests.browser.conftest import Tab
from tests.browser.test_page import HANDBOOK, MONEY, SHOP
from tests.files import make_pdf

pytestmark = pytest.mark.browser
PRESET = "看得见 <b>"


@pytest.mark.slow
def test_a_layer_the_trace_a_remedy_and_a_preset(tab: Tab, url: str) -> None:
    app = tab(url)
    page = app.page
    app.upload(("handbook.pdf", make_pdf(HANDBOOK)), ("shop.txt", SHOP.encode()))
    app.move("Full text ↔ vectors", -4)  # words count more, so what rereads the meaning has something to change
    app.ask(MONEY)
    assert app.cards()[0]["source"] == "shop.txt"

    app.switch("rerank")
    expect(page.locator(".gb-source").first).to_have_text("handbook.pdf", timeout=PATIENCE)
    expect(page.locator(".gb-move").first).to_be_visible()

    page.get_by_role("tab", name="How they were found").click()
    expect(page.locator(".gb-ledger").filter(has_text="What each stage did")).to_contain_text("Rerank", timeout=PATIENCE)
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("tab", name="Passages").click()

    app.move("Passages shown", -7)
    page.get_by_text("Why was a passage not found?").click()
    page.get_by_role("textbox", name="The passage that you expected").fill("the oldest  money box is an item from DELFT")
    page.get_by_role("button", name="Find out").click()
    fate = page.get_by_test_id("stExpander").filter(has_text="Why was a passage not found?").last
    expect(fate).to_contain_text("It was found, but lost at Passages shown", timeout=PATIENCE)
    expect(fate.locator(".gb-source").first).to_have_text("shop.txt")
    expect(fate).to_contain_text(re.compile(r"Full text\s*#1 of \d"))
    app.settle()
    fate.get_by_role("button", name=re.compile("Use Passages shown: [2-8]")).click()
    expect(fate).to_contain_text("With the present settings it is among the passages", timeout=PATIENCE)
    app.settle()

    app.save_preset(PRESET)
    page.get_by_role("button", name="Reset all").click()
    expect(app.preset()).to_have_value("Default", timeout=PATIENCE)
    app.settle()
    page.reload()
    app.settle()
    expect(app.preset()).to_have_value("Default")
    app.preset().click()
    page.get_by_role("option", name=f"★ {PRESET}").click()
    expect(page.locator(".gb-source").first).to_have_text("handbook.pdf", timeout=PATIENCE)
    expect(app.preset()).to_have_value(f"★ {PRESET}")
