"""The benchmark of files fails what should fail: each kind of expectation, with OCR and without."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import files
from benchmarks.files import Outcome, parse_expectation
from ingest.document import LoadedDocument
from ingest.errors import EncryptedFile, LoadError, UnreadableFile

DAMAGED = UnreadableFile("a", "damaged", remedy="", code="x")
LOCKED = EncryptedFile("a", "locked", remedy="", code="password")


def outcome(text: str = "", *, error: LoadError | None = None, ocr_pages: int = 0) -> Outcome:
    return Outcome(None if error else LoadedDocument("a", text, ocr_pages=ocr_pages), error, 0.0)


@pytest.mark.parametrize(
    ("cell", "ocr", "right", "wrong"),
    [
        ("TEXT: a b || c", False, outcome("# a\n b and c"), outcome("a b")),
        ("TEXT: a || NOT: menu", False, outcome("a menu"), outcome("b")),
        ("TEXT: a; perhaps b", False, outcome("a"), outcome("b")),
        ("TEXT: a", False, outcome("a"), outcome(error=DAMAGED)),
        ("TEXT: (html part)", False, outcome("any"), outcome(" ")),
        ("TEXT: all letters A to C", False, outcome("A B C"), outcome("A B")),
        ("NOTEXT: nothing", True, outcome(" \n"), outcome("text")),
        ("NOTEXT", False, outcome(""), outcome("text", ocr_pages=1)),
        ("NOTEXT", True, outcome("text", ocr_pages=1), outcome("text")),
        ("NOTEXT (OCR would give: 甲, B)", True, outcome("甲 and B", ocr_pages=1), outcome("甲", ocr_pages=1)),
        ("NOTEXT (OCR would give: 甲, B)", False, outcome(""), outcome("甲 and B")),
        ("ERROR: damaged", False, outcome(error=DAMAGED), outcome("text")),
        ("ERROR: encrypted / password needed", False, outcome(error=LOCKED), outcome(error=DAMAGED)),
        ("ERROR: not supported, or its parts", False, outcome("parts"), outcome("")),
        ("ERROR or NOTEXT (OCR would give: 甲)", False, outcome(error=DAMAGED), outcome("甲")),
        ("ERROR or NOTEXT (OCR would give: 甲)", True, outcome("甲"), outcome("乙")),
    ],
)
def test_an_expectation_tells_right_from_wrong(cell: str, ocr: bool, right: Outcome, wrong: Outcome) -> None:
    assert parse_expectation(cell).missing(right, ocr=ocr) == []
    assert parse_expectation(cell).missing(wrong, ocr=ocr) != []


@pytest.mark.slow
def test_a_file_that_fails_makes_the_run_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.txt").write_bytes("退款".encode("gbk"))
    (tmp_path / "bad.pdf").write_bytes(b"no PDF")
    (tmp_path / "files.tsv").write_text("name\texpect\ngood.txt\tTEXT: 退款\nbad.pdf\tTEXT: x\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["files", "--files", str(tmp_path), "--no-ocr"])
    assert files.main() == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told[:2]] == ["pass", "FAIL"]
    assert told[-1] == "1 pass, 1 FAIL"
    monkeypatch.setattr(sys, "argv", ["files", "--files", str(tmp_path), "--only", "good"])
    assert files.main() == 0
