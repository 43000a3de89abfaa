"""A browser for the tests of the page, which reaches nothing but the app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Route, sync_playwright

from tests.browser import chromium
from tests.browser.app import App, serving
from tests.browser.emptied import make_empty

Tab = Callable[..., App]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of a module.

    Playwright keeps an event loop running in this thread, beside which no asynchronous test can run: so it ends with the module.
    """
    path = chromium.find()
    assert path, "No Chromium here. Install it with: python -m tests.browser.chromium --install"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(path), args=list(chromium.FLAGS))
        yield started
        started.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """An app and its store, for all tests that need no settings or restart of their own: a start costs more than most of them."""
    store = tmp_path_factory.mktemp("app") / "store"
    with serving(store) as address:
        yield address, store


@pytest.fixture
def url(served: tuple[str, Path]) -> str:
    """A running app on an empty store."""
    address, store = served
    make_empty(store)
    return address


@pytest.fixture
def foreign() -> list[str]:
    """The addresses off this machine that the browser was made to ask for; all were blocked."""
    return []


@pytest.fixture
def tab(browser: Browser, foreign: list[str]) -> Iterator[Tab]:
    """Opens tabs, each a browser of its own: `tab(url, locale="zh-CN")`."""
    opened = []

    def guard(route: Route) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.continue_()
        else:
            foreign.append(route.request.url)
            route.abort()

    def open_tab(url: str, *, locale: str = "en-US", scheme: str = "light", width: int = 1400) -> App:
        context = browser.new_context(viewport={"width": width, "height": 900}, locale=locale, color_scheme=scheme)  # type: ignore[arg-type]
        context.route("**/*", guard)
        opened.append(context)
        return App(context.new_page()).open(url)

    yield open_tab
    for context in opened:
        context.close()
