"""A password for encrypted files on the command line: given or asked for, never stored and never printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import streamlit as st

from ingest.__main__ import main
from ingest.commands import add
from tests.files import make_pdf
from ui import strings
from ui.components.reasons import why

SECRET = "s3cret-of-mine"


@pytest.fixture
def pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    monkeypatch.chdir(Path(__file__).parents[2])
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf(["The lease runs for nine years."], user_password=SECRET))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, object], str]:
    status = main([*map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    [file] = json.loads(out)["files"]
    return status, file, out + err


def test_without_one_and_with_a_wrong_one_the_reason_is_told_in_both_languages(
    pdf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, file, _ = run(capsys, "add", pdf)
    assert (status, file["status"], file["code"]) == (1, "failed", "password")
    status, file, said = run(capsys, "add", pdf, "--password", "not-this-one")
    assert (status, file["status"], file["code"]) == (1, "failed", "wrong_password")
    assert "not-this-one" not in said
    try:
        for language, words in (("en", "does not open it"), ("zh", "打不开")):
            strings.speak(language)
            assert re.search(words, why(file, str(file["reason"]), markdown=False))
    finally:
        st.session_state.clear()


@pytest.mark.parametrize("asked", [True, False])
def test_with_the_right_one_it_is_indexed_and_the_password_is_nowhere(
    pdf: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    monkeypatch.setattr(add, "getpass", lambda prompt: SECRET)
    status, file, said = run(capsys, "add", pdf, *(["--ask-password"] if asked else ["--password", SECRET]))
    assert (status, file["status"], file["chunks"]) == (0, "indexed", 1)
    assert SECRET not in said
    stored = [path for path in (pdf.parent / "store").rglob("*") if path.is_file()]
    assert stored
    assert not any(SECRET.encode() in path.read_bytes() for path in stored)
