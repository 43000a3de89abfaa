"""The panel of models: what leaves this machine, and the button that asks whether they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.servers import ModelServer
from ui.components.models import is_here
from ui.services import Services

Open = Callable[..., AppTest]


@pytest.fixture
def open_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """The page of an app with these settings; what leaves, the panel and the first screen only."""
    opened: list[Services] = []

    def script(services):
        from ui import state
        from ui.components.models import show_models
        from ui.components.welcome import show_welcome

        state.start(services)
        show_models(services)
        show_welcome(services, ask=lambda _: None)

    def made(**configured: str) -> AppTest:
        monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
        for name, value in configured.items():
            monkeypatch.setenv(f"GLASSBOX_{name.upper()}", value)
        opened.append(Services())
        page = AppTest.from_function(script, kwargs={"services": opened[-1]}, default_timeout=20).run()
        assert not page.exception
        return page

    yield made
    for services in opened:
        services.close()


def press(page: AppTest) -> AppTest:
    page = page.button(key="check_models").click().run()
    assert not page.exception
    return page


def badge(page: AppTest) -> str:
    return str(page.caption[0].value)


def welcome(page: AppTest) -> str:
    """What the first screen says of the app."""
    return next(str(each.value) for each in page.markdown if str(each.value).startswith("Glassbox answers")).strip()


CHAT = {"llm__provider": "openai", "llm__model": "talker"}


@pytest.mark.parametrize(
    ("place", "here"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://[::1]:8000", True),
        ("http://localhost:8000", True),
        ("https://api.openai.com/v1", False),
        ("http://192.168.1.4:8000", False),
        ("http://localhost.example.com", False),
        ("http://127.0.0.1.example.com", False),
    ],
)
def test_only_an_address_of_this_machine_is_here(place: str, here: bool) -> None:
    assert is_here(place) is here


def test_with_what_is_configured_at_first_nothing_leaves_and_the_embedder_answers(open_page: Open) -> None:
    page = open_page()
    assert "Nothing leaves this machine." in badge(page)
    assert welcome(page).endswith("Nothing leaves this machine.")
    page = press(page)
    (success,) = page.success
    assert success.value.startswith("Meaning: answers (")


def test_a_remote_model_is_named_with_what_it_is_sent(open_page: Open) -> None:
    page = open_page(**CHAT, llm__base_url="https://user:secret@models.example.com/v1")
    assert "Your questions and the passages found are sent to models" in badge(page)
    assert "Pictures of your documents are sent to models" in badge(page)
    assert "secret" not in " ".join(str(each.value) for each in [*page.caption, *page.markdown])
    assert "machine" not in welcome(page)
    there = "https://models.example.com/v1"
    page = open_page(embeddings__provider="openai", embeddings__model="embedder", embeddings__base_url=there)
    assert "Your documents and questions are sent to models" in badge(page)


def test_a_model_on_this_machine_gets_texts_that_do_not_leave_it(open_page: Open) -> None:
    with ModelServer() as server:
        page = open_page(**CHAT, llm__base_url=server.base_url)
        assert "Nothing leaves this machine." in badge(page)
        page = press(page)
    assert [each.value.split(" answers")[0] for each in page.success] == ["Meaning:", "Answers:"]


@pytest.mark.parametrize("address", ["http://[", "no address", "http://user:secret@["])
def test_an_address_that_is_none_leaves_the_page_whole(open_page: Open, address: str) -> None:
    """A reranker's address may be typed on the page, letter by letter."""
    page = open_page(
        retrieval__rerank__enabled="true", retrieval__rerank__provider="endpoint", retrieval__rerank__base_url=address
    )
    assert "Your questions and the passages found are sent to" in badge(page)
    page = press(page)
    assert len(page.error) == 1
    assert "secret" not in " ".join(str(each.value) for each in [*page.caption, *page.markdown, *page.error])


def test_what_is_wrong_with_a_model_is_said(open_page: Open) -> None:
    with ModelServer(failure="unknown_model") as server:
        page = press(open_page(**CHAT, llm__base_url=server.base_url))
    (error,) = page.error
    assert "talker" in error.value


def test_a_role_with_its_own_model_is_shown_with_what_it_is_sent_and_checked(open_page: Open) -> None:
    with ModelServer() as server:
        own = {
            "llm__judge__model": "strict",
            "llm__judge__base_url": "https://judge.example.com/v1",
            "llm__rewrite__provider": "none",
            "llm__vision__model": "seer",
            "llm__vision__base_url": "https://vision.example.com/v1",
        }
        page = open_page(**CHAT, llm__base_url=server.base_url, **own)
        assert "Your questions and the passages found are sent to judge" in badge(page)
        assert "Pictures of your documents are sent to vision" in badge(page)
        shown = [str(each.value) for each in page.markdown]
        assert any(each.startswith("**Judging:** strict") for each in shown)
        assert "**Rewriting:** none, by rules" in shown
