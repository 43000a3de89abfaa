"""A folder of this machine as a source: what is found in it, what is read again, and what is gone from it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ingest.report import FileReport
from ingest.sources import Folder, Intake, Item, Kept, LeftOut, Selection
from store.origins import Origins
from tests.ingest.desk import Desk, write

LONG_AGO = 1_700_000_000
MAX = 2**20


def items(desk: Desk, folder: Folder) -> list[Item]:
    return list(folder.items(Kept(desk.library, desk.base), max_bytes=MAX))


def take(desk: Desk, folder: Folder) -> dict[str, FileReport]:
    kept = Kept(desk.library, desk.base)
    intake = Intake(desk.pipeline, desk.base, kept, desk.settings)
    events = intake.take(folder.items(kept, max_bytes=MAX))
    return {name: event for name, event in events if isinstance(event, FileReport)}


def prune(desk: Desk, folder: Folder) -> list[str]:
    kept = Kept(desk.library, desk.base)
    folder.look()
    return [report.source for report in Intake(desk.pipeline, desk.base, kept, desk.settings).remove(folder.gone(kept))]


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been written long before it was read."""
    monkeypatch.setattr("ingest.sources.file._YOUNG_NS", -(10**18))


def test_files_are_found_by_their_relative_paths(folder):
    assert [found.name for found in Folder(folder).look()] == ["a.txt", "deep/知识.md"]


@pytest.mark.parametrize(
    ("include", "exclude", "wanted"),
    [
        (["*.md"], [], ["deep/draft.md", "deep/知识.md", "old/e.MD"]),
        (["*.md"], ["draft*"], ["deep/知识.md", "old/e.MD"]),
        ([], ["deep", "drafts"], ["a.txt", "old/e.MD", "old/f.txt"]),
        (["old/*"], ["*.txt"], ["old/e.MD"]),
        (["./deep/"], [], ["deep/draft.md", "deep/知识.md"]),
        (["**/*.txt"], [], ["a.txt", "drafts/c.txt", "old/f.txt"]),
        (["知?.md", "[a-b].txt"], [], ["a.txt", "deep/知识.md"]),
        (["deep/**/知识.md"], [], ["deep/知识.md"]),
        (["*.pdf"], [], []),
    ],
)
def test_patterns_choose(folder, include, exclude, wanted):
    for name in ("deep/draft.md", "drafts/c.txt", "old/e.MD", "old/f.txt"):
        write(folder / name, name)
    chosen = Folder(folder, Selection(tuple(include), tuple(exclude)))
    assert [found.name for found in chosen.look()] == wanted


def test_what_is_left_out_is_told_and_counted(folder):
    for name in (".hidden.txt", ".git/config", "node_modules/x/readme.md", "__pycache__/a.pyc", ".notes/b.md", "~$a.docx"):
        write(folder / name, "no")
    chosen = Folder(folder, Selection(include=("*.md",)))
    assert [found.name for found in chosen.look()] == ["deep/知识.md"]
    assert {(left.name, left.why) for left in chosen.left_out} == {
        (".hidden.txt", "hidden"), (".notes", "hidden"), (".git", "junk"), ("node_modules", "junk"), ("__pycache__", "junk"),
        ("~$a.docx", "junk"),
    }  # fmt: skip
    assert chosen.unwanted == 1, "a.txt"
    assert [found.name for found in Folder(folder, Selection(hidden=True)).look()] == [
        ".hidden.txt", ".notes/b.md", "a.txt", "deep/知识.md",
    ]  # fmt: skip


def test_links_that_leave_the_folder_are_not_followed(folder, tmp_path):
    secret = write(tmp_path / "secret" / "key.txt", "secret")
    (folder / "key.txt").symlink_to(secret)
    (folder / "all").symlink_to(secret.parent)
    (folder / "up").symlink_to("..")
    (folder / "nowhere.txt").symlink_to(tmp_path / "none.txt")
    (folder / "round").symlink_to(folder)
    (folder / "b.txt").symlink_to("a.txt")
    chosen = Folder(folder)
    assert [found.name for found in chosen.look()] == ["a.txt", "b.txt", "deep/知识.md"]
    assert chosen.left_out == [
        LeftOut("all", "link_outside"),
        LeftOut("key.txt", "link_outside"),
        LeftOut("nowhere.txt", "link_outside"),
        LeftOut("round", "link_inside"),
        LeftOut("up", "link_outside"),
    ]


def test_a_link_put_in_the_place_of_a_file_after_the_look_is_not_followed(desk, folder, tmp_path):
    secret = write(tmp_path / "key.txt", "secret")
    chosen = Folder(folder)
    found = chosen.look()
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(secret)
    [first, _] = chosen.items(Kept(desk.library, desk.base), max_bytes=MAX, chosen=found)
    assert first.data is None
    assert first.error is not None
    assert first.error.code == "not_readable"


def test_pipes_and_the_store_itself_are_left_out(folder):
    os.mkfifo(folder / "pipe.txt")
    write(folder / "data" / "kept.txt", "of the store")
    chosen = Folder(folder, apart=folder / "data")
    assert [found.name for found in chosen.look()] == ["a.txt", "deep/知识.md"]
    assert set(chosen.left_out) == {LeftOut("pipe.txt", "special"), LeftOut("data", "store")}


def test_what_is_no_folder_is_refused(folder):
    with pytest.raises(FileNotFoundError):
        Folder(folder / "none")
    with pytest.raises(NotADirectoryError):
        Folder(folder / "a.txt")


def test_a_folder_that_may_not_be_entered_is_an_error_and_the_others_are_read(folder, monkeypatch):
    scandir = os.scandir

    def refusing(path):
        if Path(path).name == "deep":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("ingest.sources.folder.os.scandir", refusing)
    found = Folder(folder).look()
    assert [(one.name, one.error and one.error.code) for one in found] == [("a.txt", None), ("deep", "not_readable")]


def test_a_file_that_is_as_it_was_is_not_read(desk, folder, rested, monkeypatch):
    assert {name: report.status for name, report in take(desk, Folder(folder)).items()} == {
        "a.txt": "indexed",
        "deep/知识.md": "indexed",
    }
    with monkeypatch.context() as patched:
        patched.setattr("ingest.sources.file._read", lambda *_: 1 / 0)
        again = take(desk, Folder(folder))
    assert {report.status for report in again.values()} == {"unchanged"}
    assert again["a.txt"].chunks == 1
    write(folder / "a.txt", "Refund window is ninety days!")
    assert [report.status for report in take(desk, Folder(folder)).values()] == ["replaced", "unchanged"]
    desk.check()


def test_a_copy_in_the_folder_is_not_read_again_either(desk, folder, rested, monkeypatch):
    write(folder / "copy.txt", "Refund window is thirty days.")
    assert take(desk, Folder(folder))["copy.txt"].status == "duplicate"
    monkeypatch.setattr("ingest.sources.file._read", lambda *_: 1 / 0)
    copy = take(desk, Folder(folder))["copy.txt"]
    assert (copy.status, copy.code, copy.params) == ("unchanged", "same_content", {"other": "a.txt"})


def test_same_size_and_time_right_after_a_change_are_not_trusted(desk, folder):
    """A change within the same tick of the clock leaves no other mark."""
    take(desk, Folder(folder))
    [first, _] = items(desk, Folder(folder))
    assert first.data == b"Refund window is thirty days."


@pytest.mark.parametrize("change", ["size", "mtime", "ctime"])
def test_any_other_mark_makes_a_file_be_read(desk, folder, rested, change):
    take(desk, Folder(folder))
    path = folder / "a.txt"
    before = path.stat()
    if change == "size":
        path.write_bytes(path.read_bytes() + b" ")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif change == "mtime":
        os.utime(path, (LONG_AGO, LONG_AGO))
    else:
        path.write_bytes(b"Refund window is twenty days.")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    [first, _] = items(desk, Folder(folder))
    assert first.data is not None


def test_a_document_deleted_or_replaced_by_hand_is_read_again(desk, folder, rested):
    take(desk, Folder(folder))
    desk.delete("a.txt")
    desk.add("deep/知识.md", "Something else, uploaded.")
    assert [report.status for report in take(desk, Folder(folder)).values()] == ["indexed", "replaced"]


def test_an_original_that_is_gone_from_the_store_is_brought_back(desk, folder, rested):
    report = take(desk, Folder(folder))["a.txt"]
    version = desk.library.document(report.doc_id).version
    (desk.library.folder / "files" / version).unlink()
    take(desk, Folder(folder))
    desk.check()


def test_another_folder_with_the_same_file_is_not_taken_for_the_first(desk, folder, rested, tmp_path):
    take(desk, Folder(folder))
    write(tmp_path / "other" / "a.txt", "Refund window is ninety days.")
    assert take(desk, Folder(tmp_path / "other"))["a.txt"].status == "replaced"


def test_a_file_that_is_written_meanwhile_is_an_error_and_not_half_a_document(desk, folder, monkeypatch):
    monkeypatch.setattr("ingest.sources.file.os.fstat", grows(os.fstat, folder / "a.txt"))
    report = take(desk, Folder(folder, Selection(include=("a.txt",))))["a.txt"]
    assert (report.status, report.code) == ("failed", "being_written")
    assert desk.names() == []


def grows(fstat: Any, path: Path) -> Any:
    """As `fstat`, of a file that has more in it each time."""

    def growing(handle):
        with path.open("ab") as file:
            file.write(b"more")
        return fstat(handle)

    return growing


def test_no_more_is_read_than_a_file_may_have(desk, folder):
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(2**40)
    [huge] = Folder(folder, Selection(include=("huge*",))).items(Kept(desk.library, desk.base), max_bytes=1000)
    assert huge.data is not None
    assert len(huge.data) == 1001, "one more, by which the loader sees that it is too large"


def test_names_that_are_no_text_and_become_the_same_are_told(desk, folder):
    for byte in (b"\xff", b"\xfe"):
        (folder / os.fsdecode(b"bad" + byte + b".txt")).write_text("Some text.", encoding="utf-8")
    found = Folder(folder, Selection(include=("bad*",))).look()
    assert [(one.name, one.error and one.error.code) for one in found] == [
        ("bad\ufffd.txt", None),
        ("bad\ufffd.txt", "same_name"),
    ]


def test_only_documents_of_this_folder_whose_files_are_gone_are_pruned(desk, folder, tmp_path):
    other = tmp_path / "other"
    write(other / "b.txt", "Of another folder.")
    write(folder / "c.txt", "Replaced by hand.")
    write(folder / "bad\udcff.txt", "A name that is no text.")
    write(folder / "d.md", "Not wanted this time.")
    desk.add("uploaded.txt", "Uploaded.")
    take(desk, Folder(folder))
    take(desk, Folder(other))
    desk.add("c.txt", "Uploaded under the same name.")
    for path in (folder / "a.txt", folder / "c.txt", other / "b.txt"):
        path.unlink()
    assert prune(desk, Folder(folder, Selection(exclude=("*.md",)))) == ["a.txt"]
    assert desk.names() == ["b.txt", "bad\ufffd.txt", "c.txt", "d.md", "deep/知识.md", "uploaded.txt"]
    assert "a.txt" not in Origins(desk.library).of(desk.base)
    assert prune(desk, Folder(other)) == ["b.txt"]
    desk.check()


def test_a_folder_in_the_folder_that_is_gone_takes_its_documents_along(desk, folder):
    take(desk, Folder(folder))
    (folder / "deep" / "知识.md").unlink()
    (folder / "deep").rmdir()
    write(folder / "deep", "A file where a folder was.")
    assert prune(desk, Folder(folder)) == ["deep/知识.md"]


def test_a_file_whose_name_a_folder_has_taken_is_gone(desk, folder):
    take(desk, Folder(folder))
    (folder / "a.txt").unlink()
    write(folder / "a.txt" / "b.txt", "A folder where a file was.")
    assert prune(desk, Folder(folder)) == ["a.txt"]


def test_what_cannot_be_looked_at_is_not_gone(desk, folder, monkeypatch):
    take(desk, Folder(folder))
    kept = Kept(desk.library, desk.base)
    chosen = Folder(folder)

    def refusing(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "lstat", refusing)
    assert chosen.gone(kept) == []


def test_a_renamed_file_keeps_its_chunks(desk, words, folder):
    take(desk, Folder(folder))
    embedded = len(words.texts)
    (folder / "a.txt").rename(folder / "z.txt")
    assert take(desk, Folder(folder))["z.txt"].status == "duplicate"
    assert prune(desk, Folder(folder)) == ["a.txt"]
    assert len(words.texts) == embedded
    assert desk.names() == ["deep/知识.md", "z.txt"]
    desk.check()
    assert {report.status for report in take(desk, Folder(folder)).values()} == {"unchanged"}


def test_origins_go_with_their_base(desk, folder):
    take(desk, Folder(folder))
    base = desk.base
    desk.library.delete_base("test")
    assert Origins(desk.library).of(base) == {}


def test_the_intake_stops_between_two_steps(desk, folder):
    kept = Kept(desk.library, desk.base)
    intake = Intake(desk.pipeline, desk.base, kept, desk.settings, wanted=lambda: not desk.names())
    reports = [event for _, event in intake.take(Folder(folder).items(kept, max_bytes=MAX)) if isinstance(event, FileReport)]
    assert [report.source for report in reports] == ["a.txt"]
    desk.check()
