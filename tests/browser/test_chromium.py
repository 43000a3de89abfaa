"""Finding and installing the browser: what is found runs, and when nothing can be had the remedy is in words."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium


def stand_in(path: Path, answer: str, code: int = 0) -> Path:
    path.write_text(f"#!/bin/sh\necho '{answer}'\nexit {code}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any browser; programs put into the folder are on its path."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(chromium, "APPLICATIONS", ())
    monkeypatch.setattr(chromium, "_search_path", lambda: str(tmp_path))
    monkeypatch.setattr(chromium, "PLAYWRIGHT_PATH", "raise SystemExit(1)")
    return tmp_path


def test_what_is_found_here_runs() -> None:
    path = chromium.find()
    assert path is not None
    assert "Chrom" in subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout


def test_nothing_is_found_on_a_bare_machine(bare: Path) -> None:
    assert chromium.find() is None


def test_a_script_that_only_says_what_to_install_is_passed_over(bare: Path) -> None:
    stand_in(bare / "chromium-browser", "requires the chromium snap to be installed", code=1)
    right = stand_in(bare / "google-chrome", "Google Chrome 140.0")
    assert chromium.find() == right


def test_the_named_one_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(bare / "chromium", "Chromium 140.0")
    mine = stand_in(bare / "mine", "Chromium 141.0")
    monkeypatch.setenv("CHROMIUM", str(mine))
    assert chromium.find() == mine


def test_playwrights_own_is_found(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = stand_in(bare / "headless", "Chromium 142.0")
    monkeypatch.setattr(chromium, "PLAYWRIGHT_PATH", f"print({str(own)!r})")
    assert chromium.find() == own


def test_without_a_browser_the_remedy_is_said(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["chromium", "--install"])
    monkeypatch.setattr(chromium, "_installers", lambda: iter([["false"], [str(bare / "no-such-program")], ["true"]]))
    assert chromium.main() == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "apt-get install chromium" in said.err
    assert "playwright install chromium" in said.err
    assert "CHROMIUM=" in said.err


def test_the_next_installer_is_tried_and_what_it_installed_is_printed(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ready = stand_in(bare / "ready", "Chromium 140.0")
    monkeypatch.setattr(sys, "argv", ["chromium", "--install"])
    monkeypatch.setattr(chromium, "_installers", lambda: iter([["false"], ["mv", str(ready), str(bare / "chromium")]]))
    assert chromium.main() == 0
    assert capsys.readouterr().out.strip() == str(bare / "chromium")


def test_only_root_uses_apt(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "_is_root", lambda: False)
    assert list(chromium._installers()) == [[sys.executable, "-m", "playwright", "install", "chromium"]]


def test_root_installs_the_browser_and_a_font_and_nothing_else(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(chromium, "_is_root", lambda: True)
    monkeypatch.setattr(shutil, "which", lambda name, **_: f"/usr/bin/{name}")

    def done(command: list[str]) -> bool:
        ran.append(command)
        return True

    monkeypatch.setattr(chromium, "_done", done)
    assert list(chromium._installers()) == [
        ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-noto-cjk"],
        [sys.executable, "-m", "playwright", "install", "chromium"],
    ]
    assert ran == [["apt-get", "update"]]
