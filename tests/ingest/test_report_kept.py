"""The report that is kept of a document tells what the one told when it was added: its type, and the seconds of each stage."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from ingest.loaders import get_loader
from ingest.loaders.registry import type_of
from ingest.reindex import Reindex
from settings.ingest import IngestSettings
from tests.files import make_docx, make_pdf
from tests.ingest.desk import Desk
from tests.ingest.site import html

STAGES = ("load", "chunk", "embed", "store")


def seconds(desk: Desk) -> dict[str, float]:
    [document] = desk.library.documents(desk.base)
    kept: dict[str, float] = document.report["seconds"]
    return kept


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which a second passes whenever somebody looks."""
    ticks = itertools.count()
    monkeypatch.setattr("ingest.report.time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))


@pytest.mark.usefixtures("ticking")
def test_the_seconds_of_each_stage_are_kept(desk: Desk) -> None:
    told = desk.add("a.txt", "Refund window is thirty days.").as_json()["seconds"]
    kept = seconds(desk)
    assert tuple(kept) == STAGES == tuple(told)
    assert all(kept[stage] > 0 for stage in STAGES)
    assert {stage: kept[stage] for stage in STAGES[:3]} == {stage: told[stage] for stage in STAGES[:3]}
    assert kept["store"] < told["store"], "it ends before the row is written"


@pytest.mark.usefixtures("ticking")
def test_an_index_anew_and_one_document_anew_keep_theirs(desk: Desk) -> None:
    desk.add("a.txt", "Refund window is thirty days.")
    list(Reindex(desk.stores, desk.base, desk.settings, sandbox=desk.pipeline.sandbox).run())
    second = seconds(desk)
    desk.pipeline.anew(desk.base, desk.library.documents(desk.base)[0], desk.settings, mend=False)
    for kept in (second, seconds(desk)):
        assert all(kept[stage] > 0 for stage in STAGES)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64)) * 8
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(64)


@pytest.mark.parametrize(
    ("name", "data", "read_as"),
    [
        ("a.TXT", b"Words.", "txt"),
        ("a", b"Words.", "txt"),
        ("a.xyz", "退款期限".encode(), "txt"),
        ("a.py", b"print(1)\n", "py"),
        ("a.htm", html("A", "Words."), "htm"),
        ("a.txt", make_pdf(["Words."]), "pdf"),
        ("a.dat", make_docx(["Words."]), "docx"),
        ("https://example.org", html("A", "Words."), "html"),
        ("https://example.org/a.htm", html("A", "Words."), "html"),
        ("https://example.org/a.php?b=c.pdf", html("A", "Words."), "html"),
        ("https://example.org/退款", html("退款", "退款期限。"), "html"),
        ("https://example.org/paper", make_pdf(["Words."]), "pdf"),
        ("https://example.org/notes.md", b"# Words\n\nAnd more.", "md"),
        ("https://example.org/picture", PNG, "png"),
        ("https://example.org/picture", JPEG, "jpg"),
    ],
)
def test_a_file_has_the_type_that_it_was_read_as(name: str, data: bytes, read_as: str) -> None:
    assert type_of(get_loader(name, data, IngestSettings())) == read_as


def test_the_type_is_kept(desk: Desk) -> None:
    assert desk.add("https://example.org/refunds", html("Refunds", "Refund window is thirty days.")).type == "html"
    [document] = desk.library.documents(desk.base)
    assert document.report["type"] == "html"
