"""Tags of documents: how they are written and read, and that they go where the document goes."""

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from ingest.__main__ import main
from ingest.reindex import Reindex
from retrievers.filter import Filter
from store.database import connect
from store.errors import InvalidName, UnknownDocument
from store.library import MOST_TAGS, Library, StoredDocument, document_id
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def desk(tmp_path: Path, words: WordEmbeddings):
    desk = Desk.on(tmp_path / "desk", words)
    desk.add("a.txt", "Some text.")
    yield desk
    desk.library.engine.dispose()


def of(desk: Desk, source: str) -> StoredDocument:
    document = desk.library.find(desk.base, source)
    assert document is not None
    return document


def tags(desk: Desk, source: str) -> tuple[str, ...]:
    return of(desk, source).tags


def tag(desk: Desk, source: str, *chosen: str) -> tuple[str, ...]:
    return desk.library.set_tags(of(desk, source).doc_id, chosen)


def test_tags_are_trimmed_and_each_is_there_once_whatever_its_case(desk: Desk) -> None:
    assert tags(desk, "a.txt") == ()
    assert tag(desk, "a.txt", "  Year \t end ", "YEAR END", "it's 'quoted'", "合同", "archive") == tags(desk, "a.txt")
    assert tags(desk, "a.txt") == ("archive", "it's 'quoted'", "Year end", "合同")
    tag(desk, "a.txt", "new")
    assert desk.library.document(of(desk, "a.txt").doc_id).tags == ("new",)
    assert tag(desk, "a.txt") == tags(desk, "a.txt") == ()


@pytest.mark.parametrize("bad", ["", " \n", "x" * 61, "a\0b", "\u202eevil"])
def test_a_tag_is_visible_and_short_and_a_bad_one_changes_nothing(desk: Desk, bad: str) -> None:
    tag(desk, "a.txt", "kept", "字" * 60)
    with pytest.raises(InvalidName, match="1 to 60 visible"):
        tag(desk, "a.txt", "good", bad)
    with pytest.raises(InvalidName, match="at most 50"):
        tag(desk, "a.txt", *(str(n) for n in range(MOST_TAGS + 1)))
    assert tags(desk, "a.txt") == ("kept", "字" * 60)


def test_only_a_document_that_is_there_can_have_tags(desk: Desk) -> None:
    with pytest.raises(UnknownDocument):
        desk.library.set_tags("nobody", ["a"])
    with desk.library.engine.connect() as connection:
        assert connection.scalar(text("select count(*) from document_tags")) == 0


def test_new_bytes_and_a_new_index_keep_the_tags(desk: Desk) -> None:
    tag(desk, "a.txt", "A", "B")
    assert desk.add("a.txt", "Other text.").status == "replaced"
    assert desk.add("a.txt", "Other text.").status == "unchanged"
    assert tags(desk, "a.txt") == ("A", "B")
    assert [report.status for report in Reindex(desk.stores, desk.base, desk.settings).run()] == ["indexed"]
    assert desk.reopened().library.documents(desk.base)[0].tags == ("A", "B")


def test_tags_go_with_the_document(desk: Desk) -> None:
    tag(desk, "a.txt", "A")
    desk.delete("a.txt")
    desk.add("a.txt", "Some text.")
    assert tags(desk, "a.txt") == ()
    tag(desk, "a.txt", "A")
    desk.library.delete_base("test")
    with desk.library.engine.connect() as connection:
        assert connection.scalar(text("select count(*) from document_tags")) == 0


def test_the_name_that_takes_over_has_the_tags(desk: Desk) -> None:
    desk.add("b.txt", "Some text.")
    tag(desk, "b.txt", "A")
    assert tags(desk, "a.txt") == ("A",)
    desk.delete("a.txt")
    assert tags(desk, "b.txt") == ("A",)


def test_both_names_have_the_tags_when_one_gets_other_bytes(desk: Desk) -> None:
    desk.add("b.txt", "Some text.")
    tag(desk, "a.txt", "A")
    assert desk.add("a.txt", "Other text.").status == "replaced"
    assert (tags(desk, "a.txt"), tags(desk, "b.txt")) == (("A",), ("A",))
    tag(desk, "a.txt", "C")
    assert tags(desk, "b.txt") == ("A",)


def test_a_store_without_the_table_of_tags_opens(desk: Desk) -> None:
    with desk.library.engine.begin() as connection:
        connection.execute(text("drop table document_tags"))
    engine = connect(desk.library.folder)
    library = Library(engine, folder=desk.library.folder)
    [document] = library.documents(library.base("test"))
    assert document.tags == ()
    assert library.set_tags(document.doc_id, ["A"]) == ("A",)
    engine.dispose()


def test_a_search_can_be_limited_to_tags(desk: Desk) -> None:
    desk.add("b.txt", "Other text.")
    tag(desk, "a.txt", "Contract", "合同")

    def chosen(*texts: str) -> tuple[str, ...] | None:
        return Filter.parse(texts).conditions(desk.library, desk.base).doc_ids

    assert chosen("tag=CONTRACT") == chosen("tag=合同", "tag=other") == (document_id(desk.base, "a.txt"),)
    assert chosen("tag=other") == chosen("tag=合同", "source=b.txt") == ()


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    monkeypatch.chdir(ROOT)
    (tmp_path / "a.txt").write_text("Refund window is thirty days.", encoding="utf-8")

    def run(*arguments: object) -> tuple[int, dict]:
        status = main([*map(str, arguments), "--json"])
        [line] = capsys.readouterr().out.splitlines()
        return status, json.loads(line)

    return run


def test_the_command_line_adds_sets_shows_and_removes_tags(call, tmp_path: Path) -> None:
    def listed() -> list[str]:
        [document] = call("list")[1]["documents"]
        return list(document["tags"])

    assert call("add", tmp_path / "a.txt", "--tag", "A", "--tag", "合同")[0] == 0
    assert listed() == ["A", "合同"]
    assert call("add", tmp_path / "a.txt", "--tag", "a", "--tag", "B")[1]["files"][0]["status"] == "unchanged"
    assert listed() == ["A", "B", "合同"]
    status, told = call("tag", "a.txt", "none.txt", "--tag", "C")
    assert (status, [(file["source"], file["status"]) for file in told["files"]], told["tags"]) == (
        1,
        [("a.txt", "tagged"), ("none.txt", "failed")],
        ["C"],
    )
    assert listed() == ["C"]
    assert call("tag", "a.txt", "--tag", "x" * 61)[0] == 2
    assert call("add", tmp_path / "a.txt", "--tag", " ")[0] == 2
    assert listed() == ["C"]
    assert call("tag", "a.txt")[0] == 0
    assert listed() == []
