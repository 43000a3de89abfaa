"""The pages beside the chat, in a real browser on the real app."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.app import PATIENCE, App
from tests.browser.conftest import Tab
from tests.files import make_pdf

pytestmark = pytest.mark.browser
EVIL = "<img src=x onerror=alert(1)> **b**.txt"


def idle(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=PATIENCE)


def go(app: App, name: str) -> Page:
    """Choose a page in the menu."""
    app.page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    expect(app.page.get_by_role("heading", name=name, exact=True)).to_be_visible(timeout=PATIENCE)
    idle(app.page)
    return app.page


def rename(page: Page, name: str) -> None:
    """Enter a name into the dialog that is open."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(name)
    dialog.get_by_role("button", name="Save").click()


def upload(page: Page, what: Path | dict[str, bytes]) -> None:
    """Add files, or all of a folder, through the box of the library."""
    box = page.get_by_test_id("stMain").get_by_test_id("stFileUploader").locator("input[type=file]")
    if isinstance(what, Path):
        box.set_input_files(what)
    else:
        box.set_input_files([FilePayload(name=n, mimeType="application/octet-stream", buffer=data) for n, data in what.items()])


@pytest.mark.slow
def test_bases_are_made_renamed_and_deleted_in_the_library(tab: Tab, url: str) -> None:
    page = go(tab(url), "Library")
    shelf = page.locator(".st-key-shelf")
    shelf.get_by_role("button", name="New knowledge base").click()
    rename(page, "知识库 <b>")
    expect(shelf).to_contain_text("知识库 <b>", timeout=PATIENCE)
    shelf.get_by_role("button", name="New knowledge base").click()
    rename(page, "Other")
    expect(shelf.get_by_role("button", name="Other")).to_be_visible(timeout=PATIENCE)
    idle(page)
    page.locator(".st-key-shelf_rename").get_by_role("button").click()
    rename(page, "知识库 <b>")
    expect(page.get_by_role("dialog")).to_contain_text("already", timeout=PATIENCE)
    rename(page, "Contracts")
    expect(page.get_by_role("heading", name="Documents of Contracts")).to_be_visible(timeout=PATIENCE)
    idle(page)
    page.locator(".st-key-shelf_delete").get_by_role("button").click()
    expect(page.get_by_role("dialog")).to_contain_text("cannot be undone")
    page.get_by_role("dialog").get_by_role("button", name="Delete for good").click()
    expect(shelf.get_by_role("button", name="Contracts")).to_have_count(0, timeout=PATIENCE)
    expect(shelf).to_contain_text("知识库 <b>")


@pytest.mark.slow
def test_a_folder_is_added_looked_at_and_a_document_deleted(tab: Tab, url: str, tmp_path: Path, foreign: list[str]) -> None:
    folder = tmp_path / "文件夹"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / EVIL.replace("/", "")).write_text("The refund period is thirty days.", encoding="utf-8")
    (folder / "退款.txt").write_text("退款期限为三十天。", encoding="utf-8")
    (folder / ".DS_Store").write_bytes(b"\0")
    page = go(tab(url), "Library")
    page.get_by_text("A folder", exact=True).click()
    expect(page.get_by_text("Add a folder with all that is in it")).to_be_visible(timeout=PATIENCE)
    idle(page)
    upload(page, folder)
    expect(page.get_by_text("Hidden and system files left out: 1.")).to_be_visible(timeout=PATIENCE)
    documents = page.locator(".st-key-library_list")
    expect(documents.get_by_role("button", name="文件夹/退款.txt")).to_be_visible(timeout=PATIENCE)
    expect(documents.get_by_role("button", name=f"文件夹/sub/{EVIL}")).to_be_visible(timeout=PATIENCE)
    documents.get_by_role("button", name=EVIL).click()
    detail = page.locator(".st-key-library_document")
    expect(detail).to_contain_text("1 stored of 1 made", timeout=PATIENCE)
    expect(detail).to_contain_text(EVIL)
    page.reload()
    expect(detail).to_contain_text(EVIL, timeout=PATIENCE)
    idle(page)
    page.locator(".st-key-library_delete").get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the document").click()
    expect(documents.get_by_role("button", name=EVIL)).to_have_count(0, timeout=PATIENCE)
    idle(page)
    expect(documents.get_by_role("button", name="文件夹/退款.txt")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    assert foreign == []


@pytest.mark.slow
def test_two_tabs_see_the_queue_and_an_encrypted_file_gets_its_password_there(tab: Tab, url: str) -> None:
    one, two = tab(url), tab(url)
    seen = go(two, "Jobs")
    expect(seen.get_by_text("No files have been handed over")).to_be_visible()
    locked = make_pdf(["The refund period is thirty days."], user_password="s3cret")
    upload(go(one, "Library"), {"locked.pdf": locked, "open.txt": b"Apples."})
    row = seen.get_by_test_id("stMain")
    expect(row).to_contain_text("protected by a password", timeout=PATIENCE)
    expect(row).to_contain_text("2 of 2 done", timeout=PATIENCE)
    seen.reload()
    expect(row).to_contain_text("protected by a password", timeout=PATIENCE)
    idle(seen)
    seen.locator("[class*=st-key-unlock]").get_by_role("button").first.click()
    seen.get_by_role("textbox", name="Password").fill("s3cret")
    seen.get_by_role("button", name="Try again").last.click()
    expect(seen.get_by_text("Finished files · 2")).to_be_visible(timeout=PATIENCE)
    seen.get_by_role("button", name="Clear finished").click()
    expect(seen.get_by_text("No files have been handed over")).to_be_visible(timeout=PATIENCE)
    expect(one.page.locator(".st-key-library_list").get_by_role("button", name="locked.pdf")).to_be_visible(timeout=PATIENCE)


@pytest.mark.slow
def test_the_conversation_is_still_open_after_a_look_at_another_page(tab: Tab, url: str) -> None:
    app = tab(url)
    app.upload(("terms.txt", b"The refund period is thirty days."))
    app.ask("How long is the refund period?")
    go(app, "Jobs")
    go(app, "Library")
    app.page.get_by_test_id("stTopNavLink").filter(has_text="Chat").click()
    expect(app.answers()).to_have_count(1, timeout=PATIENCE)
    app.settle()
    assert re.search(r"[?&]c=", app.page.url)
