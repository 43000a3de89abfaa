"""The pages beside the chat on the real services, driven through Streamlit's AppTest."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from ingest.jobs import Upload
from tests.ui.fakes import FakeServices
from ui.services import Services

PATIENCE = 60.0
"""Seconds for files to be read and embedded where the machine is shared."""


def shown(services: Services, name: str, **query: str) -> AppTest:
    """A session that looks at a page; `query` is what its address holds."""

    def script(services, name):
        from ui.pages import SCREENS

        SCREENS[name](services)

    page = AppTest.from_function(script, kwargs={"services": services, "name": name}, default_timeout=60)
    for key, value in query.items():
        page.query_params[key] = value
    return checked(page.run())


def chat(services: FakeServices | Services) -> AppTest:
    """A new browser session that looks at the conversation."""

    def script(services):
        from ui import page

        page.show(services)

    return checked(AppTest.from_function(script, kwargs={"services": services}, default_timeout=60).run())


def checked(page: AppTest) -> AppTest:
    assert not page.exception, page.exception[0].value
    return page


def press(page: AppTest, key: str) -> AppTest:
    return checked(page.button(key=key).click().run())


def menu_of(page: AppTest, name: str) -> list[str]:
    """By which name the browser knows a menu; one with another name is closed: whether it is open, only the browser knows."""
    return [found for each in page.get("popover") if name in (found := str(each.proto.id))]


def said(page: AppTest) -> str:
    """All words of the page: Markdown, captions, HTML, remarks."""
    kinds = ("markdown", "caption", "html", "warning", "error", "info", "success")
    return "\n".join(values(page, *kinds))


def values(page: AppTest, *kinds: str) -> list[str]:
    """What the elements of these kinds show."""
    return [str(getattr(each, "value", "")) for kind in kinds for each in page.get(kind)]


def add(services: Services, base: str, **files: str | bytes) -> None:
    """Have files read, and wait for it; a name's last underscore is its dot."""
    uploads = [
        Upload(".".join(name.rsplit("_", 1)), data.encode() if isinstance(data, str) else data) for name, data in files.items()
    ]
    services.jobs.submit(base, uploads, services.settings())
    until(lambda: not services.jobs.busy(base))


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)
