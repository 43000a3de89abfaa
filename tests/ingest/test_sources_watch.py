"""A folder that is watched: what becomes of new, changed, renamed, half-written and failing files."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.pipeline import Pipeline
from ingest.report import FileReport
from ingest.sources import Folder, Selection, Watch
from store.errors import NotWritable, UnknownBase
from tests.ingest.desk import Desk, write

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0


class Clock:
    """A clock that stands still until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(desk: Desk, folder: Path, clock: Clock) -> Watch:
    """A watch on the folder; a file rests for 5 seconds."""
    return watch_on(desk, Folder(folder, apart=desk.library.folder), clock)


def watch_on(desk: Desk, folder: Folder, clock: Callable[[], float] = time.monotonic, settle: float = 5.0) -> Watch:
    settings = desk.settings.override({"sources.settle_seconds": settle})
    return Watch(folder, pipeline=desk.pipeline, library=desk.library, base=desk.base, settings=settings, clock=clock)


def look(watch: Watch, *, settled: bool = False) -> list[tuple[str, str]]:
    return [(report.source, report.status) for report in watch.step(settled=settled)]


def look_later(watch: Watch, clock: Clock, seconds: float = 5.0) -> list[tuple[str, str]]:
    clock.now += seconds
    return look(watch)


def test_the_first_look_takes_everything(desk, watch):
    assert look(watch, settled=True) == [("a.txt", "indexed"), ("deep/知识.md", "indexed")]
    assert look(watch) == []
    desk.check()


def test_a_file_is_read_when_it_has_come_to_rest(desk, watch, folder, clock):
    look(watch, settled=True)
    write(folder / "b.txt", "Half a sen")
    assert look(watch) == []
    assert look_later(watch, clock, 4.9) == []
    write(folder / "b.txt", "Half a sentence, then all of it.")
    assert look_later(watch, clock, 1.0) == []
    assert look_later(watch, clock, 5.0) == [("b.txt", "indexed")]
    [report] = [document.report for document in desk.library.documents(desk.base) if document.source == "b.txt"]
    assert report["chars"] == 32


def test_changes_and_deletions_are_followed(desk, watch, folder, clock):
    look(watch, settled=True)
    write(folder / "a.txt", "Refund window is ninety days, by now.")
    (folder / "deep" / "知识.md").unlink()
    assert look(watch) == []
    assert look_later(watch, clock) == [("a.txt", "replaced"), ("deep/知识.md", "deleted")]
    assert desk.names() == ["a.txt"]
    desk.check()


def test_what_was_deleted_while_nobody_watched_is_taken_out_at_first(desk, watch, folder, clock):
    look(watch, settled=True)
    (folder / "a.txt").unlink()
    desk.add("uploaded.txt", "Uploaded by hand.")
    assert look(watch_on(desk, Folder(folder), clock), settled=True) == [("a.txt", "deleted")]
    assert desk.names() == ["deep/知识.md", "uploaded.txt"]


def test_a_renamed_file_or_folder_is_told_as_renamed_and_not_embedded_again(desk, words, watch, folder, clock):
    look(watch, settled=True)
    embedded = len(words.texts)
    (folder / "a.txt").rename(folder / "b.txt")
    (folder / "deep").rename(folder / "深")
    assert look(watch) == []
    clock.now += 5
    reports = list(watch.step())
    assert [(report.source, report.status, report.reason) for report in reports] == [
        ("b.txt", "renamed", "was a.txt"),
        ("深/知识.md", "renamed", "was deep/知识.md"),
    ]
    assert len(words.texts) == embedded
    assert desk.names() == ["b.txt", "深/知识.md"]
    desk.check()
    assert look_later(watch, clock) == []


def test_a_copy_is_a_duplicate(watch, folder, clock):
    look(watch, settled=True)
    write(folder / "copy.txt", "Refund window is thirty days.")
    look(watch)
    assert look_later(watch, clock) == [("copy.txt", "duplicate")]


def test_a_failing_file_does_not_stop_the_others_and_is_told_once(watch, folder, clock):
    write(folder / "0.pdf", "%PDF-1.7 broken")
    assert look(watch, settled=True) == [("0.pdf", "failed"), ("a.txt", "indexed"), ("deep/知识.md", "indexed")]
    assert look_later(watch, clock) == []
    write(folder / "0.pdf", "")
    look(watch)
    assert look_later(watch, clock) == [("0.pdf", "failed")], "another reason"


def test_a_failing_file_is_tried_again_after_growing_waits(desk, watch, folder, clock, monkeypatch):
    tried: list[float] = []
    add = Pipeline.add

    def down(self: Pipeline, base: Any, source: str, data: bytes, settings: Any, **more: Any) -> Iterator[Any]:
        if source == "a.txt":
            tried.append(clock.now - 1000)
            yield FileReport(source, "failed", "a.txt: the model is down.")
        else:
            yield from add(self, base, source, data, settings, **more)

    monkeypatch.setattr(Pipeline, "add", down)
    assert ("a.txt", "failed") in look(watch, settled=True)
    for _ in range(200):
        assert look_later(watch, clock, 1.0) == []
    assert tried == [0, 2, 12, 72]
    monkeypatch.undo()
    assert look_later(watch, clock, 200) == [("a.txt", "indexed")]


def test_a_file_that_is_written_while_it_is_read_is_tried_again_without_a_word(desk, watch, folder, clock, monkeypatch):
    fstat = os.fstat

    def grows(handle):
        with (folder / "a.txt").open("a", encoding="utf-8") as file:
            file.write(" More.")
        return fstat(handle)

    with monkeypatch.context() as patched:
        patched.setattr("ingest.sources.file.os.fstat", grows)
        chosen = Folder(folder, Selection(include=("a.txt",)))
        watch = watch_on(desk, chosen, clock)
        assert look(watch, settled=True) == []
    assert look(watch) == []
    assert look_later(watch, clock) == [("a.txt", "indexed")]
    desk.check()


def test_the_end_comes_before_the_next_file(desk, watch):
    for report in watch.step(settled=True):
        assert report.source == "a.txt"
        watch.stop()
    assert desk.names() == ["a.txt"]
    desk.check()


def test_a_folder_that_is_gone_takes_nothing_along(desk, watch, folder):
    look(watch, settled=True)
    folder.rename(folder.with_name("away"))
    with pytest.raises(FileNotFoundError, match="gone"):
        look(watch)
    assert len(desk.names()) == 2


def test_changes_that_concern_nobody_wake_nobody(folder, tmp_path):
    chosen = Folder(folder, apart=folder / "data")
    path = chosen.path
    assert chosen.concerns(str(path / "a.txt"))
    assert chosen.concerns(str(path / "deep"))
    for name in ("data/glassbox.db", ".git/index", "x/node_modules/a.js", ".hidden"):
        assert not chosen.concerns(str(path / name)), name
    assert Folder(folder, Selection(hidden=True)).concerns(str(path / ".hidden"))


@pytest.fixture(params=[False, True], ids=["told", "polled"])
def running(request, desk: Desk, folder: Path) -> Iterator[queue.Queue[FileReport | BaseException | None]]:
    """A watch that runs in a thread; gives what it tells."""
    settings = desk.settings.override({"sources.settle_seconds": 0.5, "sources.poll": request.param})
    chosen = Folder(folder, apart=desk.library.folder)
    watch = Watch(chosen, pipeline=desk.pipeline, library=desk.library, base=desk.base, settings=settings)
    told: queue.Queue[FileReport | BaseException | None] = queue.Queue()

    def run() -> None:
        try:
            for report in watch.run():
                told.put(report)
        except (OSError, UnknownBase) as error:
            told.put(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield told
    watch.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def told_until(told: queue.Queue[FileReport | BaseException | None], status: str | None) -> list[tuple[str, str]]:
    """What is told up to a report of that status, or up to the word that all is in step."""
    found: list[tuple[str, str]] = []
    while True:
        report = told.get(timeout=PATIENCE)
        if report is None:
            assert status is None
            return found
        assert isinstance(report, FileReport), report
        found.append((report.source, report.status))
        if report.status == status:
            return found


def test_a_watch_follows_what_happens(desk, folder, running):
    assert told_until(running, None) == [("a.txt", "indexed"), ("deep/知识.md", "indexed")]
    write(folder / "new" / "b.txt", "A new file in a new folder.")
    assert told_until(running, "indexed") == [("new/b.txt", "indexed")]
    write(folder / "new" / "b.txt", "The same file with other words in it.")
    assert told_until(running, "replaced") == [("new/b.txt", "replaced")]
    (folder / "new").rename(folder / "old")
    assert told_until(running, "renamed") == [("old/b.txt", "renamed")]
    (folder / "old" / "b.txt").unlink()
    assert told_until(running, "deleted") == [("old/b.txt", "deleted")]
    assert desk.names() == ["a.txt", "deep/知识.md"]
    desk.check()


def test_a_store_that_fails_does_not_end_the_watch(desk, folder, running, monkeypatch):
    told_until(running, None)
    monkeypatch.setattr("ingest.sources.watch.RETRY_SECONDS", (0.1,) * 5)
    failing = NotWritable("The disk is full.", code="disk_full", folder="data")
    with monkeypatch.context() as patched:
        patched.setattr("ingest.sources.watch.Kept", lambda *_: (_ for _ in ()).throw(failing))
        write(folder / "b.txt", "A new file.")
        assert told_until(running, "failed")[-1] == (str(folder), "failed")
    assert told_until(running, "indexed")[-1] == ("b.txt", "indexed")


def test_a_base_that_is_deleted_ends_it(desk, folder, running):
    told_until(running, None)
    desk.library.delete_base("test")
    write(folder / "b.txt", "A new file.")
    error = running.get(timeout=PATIENCE)
    assert isinstance(error, UnknownBase)


@pytest.mark.slow
def test_as_a_program_until_ctrl_c(tmp_path, folder):
    environment = os.environ | {"GLASSBOX_STORE__DIR": str(folder / "data"), "PYTHONIOENCODING": "utf-8"}
    options = ["--json", "--exclude", "*.log", "--set", "sources.settle_seconds=0.1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ingest", "watch", str(folder), *options],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None
    try:
        lines = [json.loads(process.stdout.readline()) for _ in range(3)]
        assert [(line["source"], line["status"]) for line in lines] == [
            ("a.txt", "indexed"),
            ("deep/知识.md", "indexed"),
            (str(folder), "watching"),
        ]
        write(folder / "b.log", "Not wanted.")
        write(folder / "b.txt", "Wanted.")
        line = json.loads(process.stdout.readline())
        assert (line["source"], line["status"], line["chunks"]) == ("b.txt", "indexed", 1)
        assert line["time"].endswith("+00:00")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")
    [last] = [json.loads(line) for line in out.splitlines()]
    assert (last["status"], last["changes"], last["chunks_total"]) == ("stopped", {"indexed": 3}, 3)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As at a terminal: a shell lets what it runs in the background ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_lines_for_people(desk, folder, monkeypatch, capsys):
    from ingest.__main__ import main

    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(desk.library.folder))
    monkeypatch.setattr("ingest.commands.watch.open_pipeline", lambda _: (desk.pipeline, desk.stores))
    run = Watch.run

    def once(self: Watch) -> Iterator[FileReport | None]:
        for report in run(self):
            yield report
            if report is None:
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Watch, "run", once)
    write(folder / "bad\nname.pdf", "%PDF-1.7 broken")
    assert main(["watch", str(folder), "--kb", "test"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(" a.txt: indexed, chunks: 1")
    assert " bad\ufffdname.pdf: failed, the PDF is damaged" in lines[1]
    assert lines[3].endswith(f" {folder}: watching")
    assert json.loads("\n".join(lines[4:]))["changes"] == {"indexed": 2, "failed": 1}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("place", ["none", "a.txt"])
def test_what_is_no_folder_is_wrong_use(desk, folder, monkeypatch, capsys, place):
    from ingest.__main__ import main

    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(desk.library.folder))
    assert main(["watch", str(folder / place), "--json"]) == 2
    assert place in json.loads(capsys.readouterr().out)["error"]
