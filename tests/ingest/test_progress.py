"""What the command line tells while it works: stages on a terminal, a line a file elsewhere, nothing beside JSON in a pipe."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from ingest.__main__ import main
from ingest.progress import Teller
from ingest.report import FileReport, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Refund window is thirty days.", encoding="utf-8")
    (folder / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    return folder


LINES = ["[1/2] a.txt: indexed, chunks: 1", "[2/2] b.pdf: failed, the PDF is damaged and could not be opened. Open it in"]


def test_on_a_terminal_every_stage_is_drawn_over_the_last(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(["add", str(folder), "--json"]) == 1
    drawn = terminal.getvalue().split("\r\x1b[2K")[1:]
    assert drawn[:5] == [
        "[1/2] a.txt: reading",
        "[1/2] a.txt: splitting",
        "[1/2] a.txt: embedding",
        "[1/2] a.txt: storing",
        f"{LINES[0]}\n",
    ]
    assert drawn[-1].startswith(LINES[1])
    assert json.loads(capsys.readouterr().out)["kb"] == "default", "the result stays on its own stream"


@pytest.mark.slow
def test_elsewhere_each_file_is_a_line_and_beside_json_there_is_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["add", str(folder)]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == LINES[0]
    assert second.startswith(LINES[1])
    assert main(["reindex"]) == 0
    assert capsys.readouterr().err.splitlines() == ["[1/1] a.txt: indexed, chunks: 1"]
    assert main(["add", str(folder), "--json"]) == 1
    assert capsys.readouterr().err == ""


def test_a_long_stage_counts_and_is_not_drawn_for_every_batch() -> None:
    terminal = Terminal()
    teller = Teller(1, quiet=False, stream=terminal)
    for done in range(0, 6400, 64):
        teller.going_on("a.txt", Progress("embed", done, 6400))
    drawn = terminal.getvalue().split("\r\x1b[2K")[1:]
    assert drawn[0] == "[1/1] a.txt: embedding 0/6400"
    assert len(drawn) < 20


def test_a_name_cannot_write_over_the_terminal_and_takes_one_line() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Teller(1, quiet=False, stream=stream).finished(FileReport("\x1b[2J\n" + "知" * 99 + ".txt", "duplicate", "same as \x1b"))
    stream.seek(0)
    assert stream.read() == f"[1/1] ?[2J?{'?' * 35}?{'?' * 15}.txt: duplicate, same as ?\n"
