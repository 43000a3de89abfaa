"""The real app in a process of its own, and what a person does on its page."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from ui import tuning

ROOT = Path(__file__).parents[2]
PATIENCE = 120_000
"""Milliseconds that a step may take where the machine is shared; each step goes on as soon as it can."""

SLIDERS = sum(tuning.knobs()[name].kind == "number" for name in tuning.BASIC)


@contextmanager
def serving(store: Path, **settings: str) -> Iterator[str]:
    """Start the page on a store folder as `make run` does, and give its address; stop it at the end.

    `settings` are variables of the environment without their prefix, such as LLM__MODEL="x".
    """
    port = _free_port()
    log = store.parent / f"{store.name}-{port}.log"
    variables = {key: value for key, value in os.environ.items() if not key.startswith("GLASSBOX_")}
    variables |= {"GLASSBOX_STORE__DIR": str(store), "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"}
    variables |= {f"GLASSBOX_{name}": value for name, value in settings.items()}
    command = [sys.executable, "-m", "ui.launch", "--port", str(port)]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=ROOT, env=variables, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            _wait_for(f"http://127.0.0.1:{port}", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        assert process.poll() is None, f"The page ended: {log.read_text(encoding='utf-8', errors='replace')}"
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"The page did not start: {log.read_text(encoding='utf-8', errors='replace')}")


def _payload(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


@dataclass(frozen=True)
class App:
    """A browser tab on the app."""

    page: Page

    def open(self, url: str) -> App:
        """Go to the page and wait until it is drawn."""
        self.page.goto(url)
        expect(self.box()).to_be_visible(timeout=PATIENCE)
        self.settle()
        return self

    def box(self) -> Locator:
        """The chat box."""
        return self.page.get_by_test_id("stChatInputTextArea")

    def settle(self) -> None:
        """Wait until the page has finished drawing."""
        sliders = self.page.locator(".st-key-tuning_retrieval").get_by_test_id("stSlider")
        expect(sliders).to_have_count(SLIDERS, timeout=PATIENCE)
        expect(self.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE)
        expect(self.page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=PATIENCE)

    def open_menu(self) -> None:
        """Open the menu of the knowledge bases, if it is not open."""
        field = self.page.get_by_label("New knowledge base")
        for _ in range(5):  # a redraw just after the click closes it again
            if not field.is_visible():
                self.page.locator(".st-key-base_menu").get_by_role("button").click()
            self.page.wait_for_timeout(1000)
            if field.is_visible():
                return
        expect(field).to_be_visible()

    def upload(self, *files: tuple[str, bytes]) -> None:
        """Add files through the side panel and wait until each is read."""
        chooser = self.page.get_by_test_id("stSidebar").get_by_test_id("stFileUploader").locator("input[type=file]")
        chooser.set_input_files([_payload(name, data) for name, data in files])
        lines = self.page.locator(".st-key-uploads, .st-key-uploads_done").locator("p")
        done = lines.filter(has_text=re.compile("added|replaced|already"))
        expect(done).to_have_count(len(files), timeout=PATIENCE)
        self.settle()

    def attach(self, name: str, data: bytes) -> None:
        """Put a file into the chat box, to go with the next question."""
        self.page.get_by_test_id("stChatInput").locator("input[type=file]").set_input_files(_payload(name, data))
        expect(self.page.get_by_test_id("stChatInput")).to_contain_text(name, timeout=PATIENCE)

    def ask(self, question: str) -> Locator:
        """Ask, wait for the answer, and give it."""
        answers = self.answers()
        before = answers.count()
        self.enter(question)
        expect(self.page.locator(".gb-summary")).to_have_count(before + 1, timeout=PATIENCE)
        self.settle()
        return answers.last

    def enter(self, question: str) -> None:
        """Type a question and send it; wait until it stands in the conversation, not for its answer."""
        self.box().fill(question)
        expect(self.box()).to_have_value(question)
        self.box().press("Enter")
        expect(self.page.get_by_test_id("stChatMessage").filter(has_text=question).first).to_be_visible(timeout=PATIENCE)

    def open_citation(self, citation: Locator) -> Locator:
        """Click a citation until its document is open, and give the dialog: a redraw just after the click closes it again."""
        dialog = self.page.get_by_role("dialog")
        for _ in range(5):
            citation.click()
            self.page.wait_for_timeout(1000)
            self.settle()
            if dialog.is_visible():
                break
        return dialog

    def answers(self) -> Locator:
        """The finished answers, refusals too."""
        return self.page.get_by_test_id("stChatMessage").filter(has=self.page.locator(".gb-summary"))

    def cards(self) -> list[dict[str, str]]:
        """The passages of the last answer, in their order: source, text, fused score."""
        cards = self.answers().last.locator(".gb-card")
        return [
            {
                "source": card.locator(".gb-source").inner_text(),
                "text": card.locator(".gb-text").first.inner_text(),
                "fused": card.locator(".gb-fused .gb-score").inner_text(),
            }
            for card in cards.all()
        ]

    def switch(self, layer: str) -> None:
        """Switch a layer of the tune panel on or off; its group is opened where it is closed."""
        toggle = self.page.locator(f".st-key-layer_{layer}").get_by_test_id("stCheckbox").first
        if not toggle.is_visible():
            self.page.get_by_test_id("stExpander").filter(has=toggle).locator("summary").click()
        toggle.locator("label").click()
        self.settle()

    def save_preset(self, name: str) -> None:
        """Keep the present settings as a preset."""
        field = self.page.get_by_label("Keep the present settings as")
        for _ in range(5):  # a redraw just after the click closes the menu again
            if not field.is_visible():
                self.page.locator(".st-key-preset_menu").get_by_role("button").click()
            self.page.wait_for_timeout(1000)
            if field.is_visible():
                break
        field.fill(name)
        self.page.get_by_role("button", name="Save", exact=True).click()
        expect(self.preset()).to_have_value(f"★ {name}", timeout=PATIENCE)
        self.settle()

    def preset(self) -> Locator:
        """The choice of a preset."""
        return self.page.get_by_role("combobox", name="Preset")

    def move(self, label: str, presses: int) -> None:
        """Move a slider by that many arrow keys, to the right, or to the left when negative."""
        slider = self.page.get_by_test_id("stSlider").filter(has_text=label).get_by_role("slider")
        slider.focus()
        for _ in range(abs(presses)):
            slider.press("ArrowRight" if presses > 0 else "ArrowLeft")
        # A slider tells its value 200 ms after the last key, by a timer of the page; a later timer of the
        # page comes after it however slow the machine is. A click before it, on another language, redraws the slider without it.
        self.page.evaluate("() => new Promise(done => setTimeout(done, 600))")
        self.settle()

    def delete(self, document: str) -> None:
        """Delete a document in the side panel, and confirm."""
        self.page.get_by_test_id("stExpander").filter(has_text="Documents").get_by_text(re.compile("Documents · ")).click()
        row = self.page.locator(".st-key-document_list").get_by_test_id("stHorizontalBlock").filter(has_text=document)
        row.get_by_role("button").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Delete the document").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0, timeout=PATIENCE)
        self.settle()
