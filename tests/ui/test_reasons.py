"""Why a file failed or is empty is said in the page's language, whatever the pipeline found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from ingest.report import FileReport, failed
from models import ModelUnavailable
from store.errors import StoreError, naming_failures
from tests.files import make_pdf
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings
from ui import strings
from ui.components.reasons import why

ZIP = b"PK\x03\x04 cut off"
FILES = {
    "a.pdf": b"%PDF-1.7 broken",
    "b.pdf": b"",
    "c.pdf": b"<html>Please log in</html>",
    "d.pdf": make_pdf(["", ""]),
    "e.docx": ZIP,
    "f.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "g.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
    "h.xlsx": ZIP,
    "i.ipynb": b"[1]",
    "j.txt": b"",
    "k.txt": bytes(range(256)) * 9,
    "l.txt": b"a" * (2**20 + 1),
    "m.docx": b"PK\x05\x06" + bytes(18),
}
# What stays as it is in Chinese: formats, suffixes, names of settings, the names of files.
SAME = re.compile(r"PDF|Word|Office|Jupyter|XML|UTF|MB|OCR|zip|ingest|max|file|\.[a-z]+|[a-z]\.txt|[a-z]+\\?\.(?=[a-z])")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk.on(tmp_path / "store", WordEmbeddings())
    yield desk
    desk.library.engine.dispose()


@pytest.fixture(autouse=True)
def spoken() -> Iterator[None]:
    yield
    st.session_state.clear()


def said(report: FileReport, language: str) -> str:
    strings.speak(language)
    return why(report.as_json(), report.reason, markdown=False)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_gives_nothing_says_why_in_both_languages(desk: Desk, name: str) -> None:
    report = desk.add(name, FILES[name], max_file_mb=1)
    assert report.status in ("failed", "empty")
    assert report.reason, "the command line keeps its English words"
    english, chinese = said(report, "en"), said(report, "zh")
    assert report.reason.removeprefix(f"{name}: ").casefold()[:12].split()[0] in english.casefold()
    assert re.search("[\u4e00-\u9fff]{4}", chinese)
    assert not re.search("[A-Za-z]{3,}", SAME.sub("", chinese)), chinese
    assert "?" not in chinese, "a parameter is missing"


def test_an_alias_names_the_other_file(desk: Desk) -> None:
    desk.add("first.txt", "Some text.")
    report = desk.add("second.txt", "Some text.")
    assert said(report, "zh") == "与 first.txt 内容相同，用两个名称都能找到。"
    again = desk.add("second.txt", "Some text.")
    assert (again.status, again.code) == ("unchanged", "same_content")


def test_an_empty_file_that_is_added_again_keeps_its_code(desk: Desk) -> None:
    desk.add("a.txt", "")
    assert (desk.add("a.txt", "").code, desk.add("a.txt", "").reason) == ("no_text", "no text found")


def test_a_full_disk_and_a_model_that_is_down_are_said_in_chinese() -> None:
    with pytest.raises(StoreError) as full, naming_failures(Path("/data")):
        raise OSError(28, "No space left on device")
    assert said(failed("a.txt", full.value), "zh") == "/data 所在的磁盘已满。请清理空间后重试；此前已保存的内容完好。"
    down = ModelUnavailable("The embedding model at http://x is down. Check that it runs.", code="unreachable")
    assert said(failed("a.txt", down), "zh").startswith(
        "无法连接模型服务，请检查它是否在运行。详情：The embedding model at http://x"
    )
    assert said(failed("a.txt", down), "en") == str(down)


def test_a_report_of_an_older_version_or_a_newer_one_shows_its_english_words() -> None:
    strings.speak("zh")
    assert why({"status": "failed", "reason": "a.pdf: broken."}, "a.pdf: broken.") == r"a\.pdf\: broken\."
    assert why(None, "broken") == why({"code": "brand_new", "params": {}}, "broken") == "broken"
