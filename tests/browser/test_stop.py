"""Stop, pressed in a real browser while a real server writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.app import PATIENCE, serving
from tests.browser.conftest import Tab
from tests.servers import ModelServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

REFUNDS = b"Refunds reach the customer within fourteen days once the parcel has arrived in our warehouse."


def test_stop_ends_an_answer_that_is_being_written(tab: Tab, store: Path) -> None:
    words = ["Refunds reach the customer within fourteen days [1]. ", *["And so on, "] * 5000]
    with ModelServer(words=words, pause=0.02) as server:
        with serving(store, LLM__PROVIDER="openai", LLM__MODEL="talker", LLM__BASE_URL=server.base_url) as url:
            app = tab(url)
            app.upload(("terms.txt", REFUNDS))
            app.enter("Within how many days do refunds reach the customer?")
            stop = app.page.locator("[class*='st-key-stop']").get_by_role("button")
            expect(app.page.get_by_text("And so on").first).to_be_visible(timeout=PATIENCE)
            stop.click()
            expect(app.page.get_by_text("Stopped. What was written until then stays.")).to_be_visible(timeout=PATIENCE)
            expect(app.answers().last).to_contain_text("within fourteen days")
            expect(stop).to_have_count(0)
            assert server.abandoned.wait(10)
        assert len(server.requests) == 1
