"""Whatever ingestion, store and models say by a code has words in both languages, with all the values that these need."""

from __future__ import annotations

import ast
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import streamlit as st
import yaml

from ingest.errors import LoadError, Reason
from store.errors import InvalidText, StoreError, UnknownChunk
from store.table import ChunkTable
from tests.files import make_pdf
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings
from ui import strings
from ui.components.failure import explain
from ui.components.reasons import why
from ui.safe import escape_markdown

ROOT = Path(strings.__file__).parents[2]
ROOMS = ("ingest", "store", "models", "chains")
FILE_ERRORS = ("Reason", LoadError.__name__, *(kind.__name__ for kind in LoadError.__subclasses__()))
STORE_ERRORS = (StoreError.__name__, *(kind.__name__ for kind in StoreError.__subclasses__()))
OF_STORE = {"message"}
"""What every error of the store has."""


def trees(*rooms: str) -> Iterator[ast.AST]:
    for path in sorted(path for room in rooms for path in (ROOT / room).rglob("*.py")):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def placeholders(key: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(strings.table("en")[key]) if name is not None}


def said(*rooms: str) -> Iterator[tuple[str, set[str] | None]]:
    """Each code where an error, a reason or a report is made, with the names of the values given along (None: unknown)."""
    for node in trees(*rooms):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        words = {word.arg: word.value for word in node.keywords}
        code = node.args[1] if name == "Reason" and len(node.args) > 1 else words.get("code")
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            given = {str(word) for word in words} | (OF_STORE if name in STORE_ERRORS else set())
            yield code.value, given if name in (*FILE_ERRORS, *STORE_ERRORS) and None not in words else None


def test_every_code_has_words_and_these_get_the_values_they_need() -> None:
    found = list(said(*ROOMS))
    assert len({code for code, _ in found}) > 60
    known = strings.table("en")
    assert sorted({code for code, _ in found if not has_words(code)}) == []
    for code, given in found:
        if given is not None and f"file.{code}" in known:
            assert placeholders(f"file.{code}") <= given, code


def has_words(code: str) -> bool:
    return any(f"{section}.{code}" in strings.table("en") for section in ("file", "model"))


def test_no_words_are_left_over() -> None:
    literals = {node.value for node in trees(*ROOMS) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    codes = {key.partition(".")[2] for key in strings.table("en") if key.startswith("file.")}
    assert sorted(codes - literals) == []


@pytest.mark.parametrize("language", strings.LANGUAGES)
def test_no_text_is_there_twice(language: str) -> None:
    """YAML takes the last of two with one key, without a word."""
    tree = yaml.compose((ROOT / "ui" / "strings" / f"{language}.yaml").read_text(encoding="utf-8"))
    assert isinstance(tree, yaml.MappingNode)
    twice: list[str] = []

    def look(node: yaml.MappingNode) -> None:
        names = [key.value for key, _ in node.value]
        twice.extend(name for name in names if names.count(name) > 1)
        for _, value in node.value:
            if isinstance(value, yaml.MappingNode):
                look(value)

    look(tree)
    assert twice == []


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk.on(tmp_path / "store", WordEmbeddings())
    yield desk
    desk.library.engine.dispose()
    st.session_state.clear()


def test_each_part_of_an_archive_that_gave_nothing_says_why_in_both_languages(desk: Desk) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.txt", "Some words.")
        archive.writestr("film.mp4", bytes(range(256)) * 9)
        archive.writestr("broken.pdf", b"%PDF-1.7 broken")
        archive.writestr("blank.txt", "  ")
        archive.writestr("bomb.txt", b"a" * 9_000_000)
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "good.txt")
        archive.writestr("wrong.json", '{"a": 1,,}')
    report = desk.add("all.zip", out.getvalue()).as_json()
    assert report["status"] == "indexed"
    names = [name for name, _ in report["skipped"]]
    assert {name.partition(" ")[0] for name in names} >= {"film.mp4", "broken.pdf", "blank.txt", "bomb.txt", "link", "wrong.json"}
    assert len(report["skipped_why"]) == len(names)
    for (name, reason), told in zip(report["skipped"], report["skipped_why"], strict=True):
        assert told["code"] != "part_unread", name
        strings.speak("zh")
        chinese = why(told, reason, markdown=False)
        assert re.search("[\u4e00-\u9fff]{3}", chinese), name
        assert "?" not in chinese, name
        strings.speak("en")
        assert "?" not in why(told, reason, markdown=False), name


def test_a_reason_is_its_words_and_keeps_its_code() -> None:
    reason = Reason("it has more than 3 MB", "too_large", mb=3)
    assert (reason, reason.code, reason.params) == ("it has more than 3 MB", "too_large", {"mb": 3})


@pytest.mark.parametrize("error", [UnknownChunk("There is no chunk x."), InvalidText("No text.", code="empty_correction")])
def test_what_goes_wrong_on_the_page_is_said_in_its_language(error: StoreError) -> None:
    try:
        assert explain(error) == escape_markdown(str(error))
        strings.speak("zh")
        assert re.search("[\u4e00-\u9fff]{4}", explain(error))
        assert str(error) not in explain(error)
    finally:
        st.session_state.clear()


def test_a_report_tells_all_that_is_known_of_a_file(desk: Desk) -> None:
    pages = desk.add("a.pdf", make_pdf(["The lease runs for nine years.", ""]), **{"ocr.enabled": False})
    assert (pages.pages, pages.pages_without_text, pages.language) == (2, 1, "en")
    chinese = desk.add("b.txt", "退款期限为三十天，从包裹到达之日算起。运输需要五个工作日。".encode("gbk"))
    assert chinese.encoding in ("gbk", "gb18030", "gb2312")
    assert chinese.encoding_confidence
    assert (chinese.language, chinese.chars, chinese.garbled, chinese.warnings) == ("zh", 29, 0.0, [])
    for report in (pages, chinese):
        assert report.chunks == report.chunks_stored == 1
        assert set(report.seconds) == {"load", "chunk", "embed", "store"}
        assert all(value > 0 for value in report.seconds.values())
    garbled = desk.add("c.txt", "Ã©Ã¨Ã¢ â€œÃ¼Ã¶â€ Ã¤Ã± ï¿½ï¿½ " * 40)
    assert garbled.garbled > 0
    assert [warning["code"] for warning in garbled.warnings] == ["garbled"]


def test_chunks_that_were_not_all_stored_fail_the_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = ChunkTable.replace_document

    def short(table: ChunkTable, *arguments: Any, **named: Any) -> int:
        return replace(table, *arguments, **named) - 1

    monkeypatch.setattr(ChunkTable, "replace_document", short)
    report = desk.add("a.txt", "Some words.")
    assert (report.status, report.code, report.params["chunks"], report.params["stored"]) == ("failed", "incomplete", 1, 0)
