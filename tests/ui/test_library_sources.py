"""The boxes of the library for web pages, sitemaps and folders of the server, on the real services and a real site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.ingest.desk import write
from tests.ingest.site import Site, html, sitemap
from tests.ui.pages import checked, said, shown, until
from ui import strings
from ui.services import Services


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    st.session_state.clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that may be read from the page, beside one that may not; to be asked for before the services."""
    write(tmp_path / "shared" / "a.md", "# Refunds\n\nThe refund window is thirty days.")
    write(tmp_path / "shared" / "合同" / "退款.txt", "退款期限为三十天。")
    write(tmp_path / "shared" / "合同" / "draft.txt", "Not yet.")
    write(tmp_path / "secret" / "b.txt", "A secret.")
    monkeypatch.setenv("GLASSBOX_SOURCES__FOLDERS", str(tmp_path / "shared"))
    return tmp_path / "shared"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site of this machine, which may be fetched from; to be asked for before the services."""
    with Site() as site:
        monkeypatch.setenv("GLASSBOX_SOURCES__ALLOW_PRIVATE_ADDRESSES", "true")
        monkeypatch.setenv("GLASSBOX_SOURCES__PAUSE_SECONDS", "0")
        yield site


def opened(services: Services, kind: str, language: str = "en") -> AppTest:
    """The library, with the box of that kind."""
    services.preferences.set("language", language)
    strings.speak(language)  # in this thread too, where AppTest asks for the words of options
    page = shown(services, "library")
    return checked(page.segmented_control(key=f"adding_kind:{language}").set_value(kind).run())


def pressed(page: AppTest, kind: str, number: int = 0) -> AppTest:
    return checked(page.button(key=f"source:{kind}:read:{number}").click().run())


def settled(services: Services) -> AppTest:
    """The library, once all is read and indexed."""
    base = services.library.base("default")
    until(lambda: not services.gathering.busy(base.id) and not services.jobs.busy("default"))
    return shown(services, "library")


def names(services: Services) -> list[str]:
    return [document.source for document in services.library.documents(services.library.base("default"))]


def test_web_pages_are_read_and_what_fails_says_why_and_what_to_do(site: Site, real: Services) -> None:
    site.pages["/a"] = html("A", "All about apples.")
    page = opened(real, "pages")
    page.text_area(key="source:pages:where:0").set_value(f"{site.url}/a\n\n {site.url}/gone {site.url}/a")
    page = pressed(page, "pages")
    assert page.text_area(key="source:pages:where:1").value == "", "the box is empty for the next ones"
    page = settled(real)
    assert names(real) == [f"{site.url}/a"]
    words = said(page)
    assert "to be added: 1 · failed: 1" in words.replace("\\", "")
    assert "There is no page at this address (status 404). Check the address." in words
    [key] = [str(button.key) for button in page.button if str(button.key).startswith("gathered_dismiss:")]
    page = checked(page.button(key=key).click().run())
    assert "failed: 1" not in said(page).replace("\\", "")


def test_what_is_no_address_is_refused_at_once_in_the_language_of_the_page(real: Services) -> None:
    page = opened(real, "pages", "zh")
    page.text_area(key="source:pages:where:0").set_value("file:///etc/passwd")
    page = pressed(page, "pages")
    assert "不抓取以 file" in page.error[0].value.replace("\\", "")
    page.text_area(key="source:pages:where:0").set_value("   ")
    assert "请先输入地址" in pressed(page, "pages").warning[0].value
    assert real.library.bases() == []


def test_private_addresses_stay_refused_from_the_page(real: Services) -> None:
    page = opened(real, "pages")
    page.text_area(key="source:pages:where:0").set_value("http://127.0.0.1:1/")
    pressed(page, "pages")
    assert "is not fetched from" in said(settled(real)) or "private network" in said(settled(real))
    assert names(real) == []


def test_a_sitemap_is_read_by_patterns_and_pruned(site: Site, real: Services) -> None:
    site.pages |= {"/docs/a": html("A", "All about apples."), "/news/b": html("B", "All about bees.")}
    site.pages["/sitemap.xml"] = sitemap(f"{site.url}/docs/a", f"{site.url}/news/b")
    for number in (0, 1):
        page = opened(real, "sitemap")
        page.text_input(key="source:sitemap:where:0").set_value(f"{site.url}/sitemap.xml")
        page.text_area(key="source:sitemap:include:0").set_value("docs\n")
        page.checkbox(key="source:sitemap:prune:0").set_value(True)
        pressed(page, "sitemap")
        page = settled(real)
        assert names(real) == [f"{site.url}/docs/a"][: 1 - number]
        site.pages["/sitemap.xml"] = sitemap(f"{site.url}/news/b")
    assert "taken out: 1" in said(page).replace("\\", "")
    assert "Not wanted by the patterns: 1" in said(page).replace("\\", "")


def test_without_allowed_folders_the_box_says_how_to_allow_one(real: Services) -> None:
    page = opened(real, "server")
    assert "sources.folders" in page.info[0].value
    assert not [button for button in page.button if str(button.key).startswith("source:")]


def test_a_folder_of_the_server_is_read_with_patterns_and_nothing_outside_of_it(folder: Path, real: Services) -> None:
    page = opened(real, "server")
    page.text_input(key="source:server:within:0").set_value("../secret")
    page = pressed(page, "server")
    assert "may not be read from the page" in page.error[0].value
    assert real.library.bases() == []
    page.text_input(key="source:server:within:0").set_value("missing")
    assert "There is no such folder" in pressed(page, "server").error[0].value.replace("there", "There")
    page.text_input(key="source:server:within:0").set_value("合同")
    page.text_area(key="source:server:exclude:0").set_value("draft*")
    pressed(page, "server")
    page = settled(real)
    assert names(real) == ["退款.txt"]
    page = opened(real, "server")
    page.selectbox(key="source:server:where:0").set_value(str(folder))
    pressed(page, "server")
    settled(real)
    assert {"a.md", "合同/退款.txt", "退款.txt"} <= {
        *names(real),
        *(a for d in real.library.documents(real.library.base("default")) for a in d.aliases),
    }


def test_files_of_a_source_are_cut_as_chosen_for_this_once(folder: Path, real: Services) -> None:
    page = opened(real, "server")
    page = checked(page.selectbox(key="adding_cut:ingest.chunker:en").set_value("sentence").run())
    pressed(page, "server")
    settled(real)
    assert {document.report["chunker"] for document in real.library.documents(real.library.base("default"))} == {"sentence"}
