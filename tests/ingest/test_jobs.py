"""Files handed over behind the page: accepted at once, done in order, whatever happens to the process."""

import shutil
import time
from collections.abc import Callable, Iterator
from threading import Event

import pytest

from ingest.jobs import Jobs, Upload
from ingest.sandbox import Sandbox
from ingest.standing import FileProgress
from store.errors import NotWritable
from store.queue import JobQueue
from tests.ingest.desk import Desk
from tests.ingest.processes import run
from tests.standin import WordEmbeddings


def jobs_of(desk: Desk) -> Jobs:
    return Jobs(JobQueue(desk.library.engine), desk.library, desk.pipeline, desk.settings)


@pytest.fixture
def jobs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    jobs = jobs_of(desk)
    yield jobs
    jobs.stop()


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def submit(jobs: Jobs, desk: Desk, **files: str | bytes) -> list[str]:
    uploads = [Upload(f"{name}.txt", text if isinstance(text, bytes) else text.encode()) for name, text in files.items()]
    return jobs.submit("test", uploads, desk.settings)


def done(jobs: Jobs) -> list[FileProgress]:
    until(lambda: not jobs.busy("test"))
    return jobs.standing("test").shown


class Gate(WordEmbeddings):
    """Embeds only while it is open; `reached` tells that someone waits."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.reached = Event(), Event()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.reached.set()
        assert self.open.wait(20)
        return super().embed_documents(texts)


def test_what_was_accepted_is_on_disk_before_anyone_works(desk, jobs):
    ids = submit(jobs, desk, one="First text.", two="Second text.")
    fresh = jobs_of(desk.reopened())
    assert [(f.id, f.name, f.status, f.finished) for f in fresh.standing("test").shown] == [
        (ids[0], "one.txt", "queued", False),
        (ids[1], "two.txt", "queued", False),
    ]
    assert fresh.busy("test")
    assert len(desk.kept()) == 2
    desk.library.tidy()
    assert len(desk.kept()) == 2


def test_files_are_indexed_in_order_with_their_reports(desk, jobs):
    submit(jobs, desk, one="First text.", two="", three=b"%PDF-1.7 no text file", copy="First text.")
    jobs.start()
    files = done(jobs)
    assert [file.status for file in files] == ["indexed", "empty", "failed", "duplicate"]
    assert files[0].report
    assert (files[0].report["chunks_stored"], files[0].reason) == (1, "")
    assert files[1].reason == "no text found"
    assert files[2].reason.startswith("three.txt: ")
    assert all(file.base == "test" and file.finished_at and file.finished_at >= file.started_at for file in files)
    assert desk.lexical("first") == ["one.txt"]


def test_a_file_uses_the_settings_of_when_it_was_handed_over(desk, jobs):
    small = desk.settings.override({"ingest.chunk_size": 300})
    jobs.submit("test", [Upload("a.txt", b"A sentence about nothing. " * 80)], small)
    jobs.start()
    [file] = done(jobs)
    assert file.report
    assert file.report["chunks"] > 5


def test_progress_is_seen_while_a_file_is_embedded(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    gate = Gate()
    desk = Desk.on(tmp_path, gate)
    jobs = jobs_of(desk)
    submit(jobs, desk, a="A sentence of some length about something else. " * 600)
    jobs.start()
    until(gate.reached.is_set)
    [file] = jobs.standing("test").shown
    assert (file.status, file.stage, file.done, file.finished) == ("running", "embed", 0, False)
    assert file.total > 64
    assert JobQueue(desk.library.engine).counts(desk.base.id) == {"under_way": 1}
    gate.open.set()
    assert done(jobs)[0].status == "indexed"
    jobs.stop()


def test_stopping_leaves_the_file_at_hand_for_the_next_start(tmp_path):
    gate = Gate()
    desk = Desk.on(tmp_path, gate)
    jobs = jobs_of(desk)
    submit(jobs, desk, a="A sentence of some length about something else. " * 600, b="Short.")
    jobs.start()
    until(gate.reached.is_set)
    jobs.stop(timeout=0)
    gate.open.set()
    jobs.stop()
    assert [file.status for file in jobs.standing("test").shown] == ["queued", "queued"]
    again = jobs_of(desk)
    again.start()
    assert [file.status for file in done(again)] == ["indexed", "indexed"]
    again.stop()
    desk.check()


def test_a_failed_file_is_tried_again_and_a_dismissed_one_lets_its_bytes_go(desk, jobs, monkeypatch):
    [job] = submit(jobs, desk, a="Some text.")
    with monkeypatch.context() as patch:
        patch.setattr(WordEmbeddings, "embed_documents", lambda *_: 1 / 0)
        jobs.start()
        [file] = done(jobs)
    assert (file.status, file.reason) == ("failed", "a.txt: ZeroDivisionError: division by zero")
    assert len(desk.kept()) == 1
    jobs.retry(job)
    until(lambda: jobs.standing("test").shown[0].status == "indexed")
    [bad] = submit(jobs, desk, bad=b"%PDF-1.7 no text file")
    until(lambda: jobs.standing("test").shown[1].status == "failed")
    assert len(desk.kept()) == 2
    jobs.dismiss(bad)
    jobs.dismiss(job)
    assert jobs.standing("test").shown == []
    desk.check()


def test_a_file_that_waits_can_not_be_dismissed_or_doubled(desk, jobs):
    [job] = submit(jobs, desk, a="Some text.")
    jobs.dismiss(job)
    jobs.retry(job)
    assert [file.status for file in jobs.standing("test").shown] == ["queued"]


def test_a_base_deleted_while_its_file_is_being_indexed(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    gate = Gate()
    desk = Desk.on(tmp_path, gate)
    jobs = jobs_of(desk)
    submit(jobs, desk, a="Some text.", b="More text.")
    jobs.start()
    until(gate.reached.is_set)
    desk.library.delete_base("test")
    jobs.submit("other", [Upload("c.txt", b"Other text.")], desk.settings)
    gate.open.set()
    until(lambda: not jobs.busy("other"))
    assert jobs.standing("test").shown == []
    assert [file.status for file in jobs.standing("other").shown] == ["indexed"]
    jobs.stop()
    assert [path.name for path in (tmp_path / "bases").iterdir()] == [desk.library.base("other").id]


def test_a_chore_that_fails_is_told_and_the_worker_goes_on(desk, jobs, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(desk.pipeline, "recover", lambda *_: 1 / 0)
        jobs.start()
        until(lambda: "ZeroDivisionError" in jobs.problem)
    submit(jobs, desk, a="Some text.")
    assert [file.status for file in done(jobs)] == ["indexed"]


def test_of_two_workers_on_one_folder_one_works_and_the_other_takes_over(tmp_path, monkeypatch, words):
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    gate = Gate()
    desk = Desk.on(tmp_path, gate)
    one, two = jobs_of(desk), jobs_of(desk.reopened(words))
    submit(one, desk, a="Text a.")
    submit(two, desk, b="Text b.")
    one.start()
    until(gate.reached.is_set)
    two.start()
    time.sleep(0.3)
    assert [file.status for file in two.standing("test").shown] == ["running", "queued"]
    assert words.texts == []
    gate.open.set()
    assert [file.status for file in done(two)] == ["indexed", "indexed"]
    assert gate.texts == ["Text a.", "Text b."]
    one.stop()
    submit(two, desk, late="Late text.")
    assert [file.status for file in done(two)] == ["indexed"] * 3
    assert words.texts == ["Late text."]
    two.stop()
    desk.check()


@pytest.mark.slow
def test_a_killed_worker_is_continued_by_two_others_without_doubling(desk, jobs, words):
    submit(jobs, desk, **{f"a{n}": f"Text a{n}." for n in range(8)})
    assert run(desk.library.folder, "work", "4")[0] == -9
    assert [file.status for file in jobs.standing("test").shown] == ["indexed"] * 3 + ["running"] + ["queued"] * 4
    other = jobs_of(desk.reopened())
    other.start()
    jobs.start()
    assert [file.status for file in done(jobs)] == ["indexed"] * 3 + ["unchanged"] + ["indexed"] * 4
    assert sorted(words.texts) == [f"Text a{n}." for n in range(3, 8)]
    other.stop()
    desk.check()


LARGE = "A sentence of some length about something else. " * 600


@pytest.fixture
def gated(tmp_path, monkeypatch):
    """A desk whose embedder waits at a gate, and its jobs."""
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    monkeypatch.setattr("ingest.jobs.LOOK_SECONDS", 0.0)
    gate = Gate()
    desk = Desk.on(tmp_path, gate)
    jobs = jobs_of(desk)
    yield gate, desk, jobs
    gate.open.set()
    jobs.stop()
    desk.library.engine.dispose()


def test_a_waiting_file_is_cancelled_at_once_and_may_be_tried_again(desk, jobs):
    first, second = submit(jobs, desk, a="Text a.", b="Text b.")
    jobs.cancel(first)
    assert [(file.status, file.finished) for file in jobs.standing("test").shown] == [("cancelled", True), ("queued", False)]
    jobs.start()
    assert [file.status for file in done(jobs)] == ["cancelled", "indexed"]
    desk.library.tidy()
    jobs.cancel(second)
    assert jobs.standing("test").shown[1].status == "indexed", "what is finished stays"
    jobs.retry(first)
    assert [file.status for file in done(jobs)] == ["indexed", "indexed"]
    desk.check()


def test_a_file_under_way_is_cancelled_also_from_another_process_and_the_next_one_goes_on(gated):
    gate, desk, jobs = gated
    large, _ = submit(jobs, desk, a=LARGE, b="Short.")
    jobs.start()
    until(gate.reached.is_set)
    other = jobs_of(desk.reopened())
    other.cancel(large)
    for view in (jobs, other):
        assert [file.status for file in view.standing("test").shown] == ["cancelling", "queued"]
        assert view.standing("test").done == 0
    gate.open.set()
    assert [file.status for file in done(other)] == ["cancelled", "indexed"]
    assert desk.names() == ["b.txt"]
    assert sum(gate.calls) < 200, "the rest was not embedded"
    jobs.clear_finished("test")
    desk.check()


def test_a_file_that_is_being_read_is_cancelled_by_ending_the_reader(gated):
    _, desk, jobs = gated
    reader = Sandbox("tests.ingest.hostile_reader")
    desk.pipeline._preparation._sandbox = reader
    [job] = jobs.submit("test", [Upload("hang.txt", b"text")], desk.settings)
    jobs.start()
    until(lambda: reader.pid and jobs.standing("test").shown[0].stage == "load")
    jobs.cancel(job)
    assert [file.status for file in done(jobs)] == ["cancelled"]
    assert reader.pid is None


def test_a_cancellation_that_a_killed_worker_did_not_see_is_done_by_the_next(desk, jobs):
    [job] = submit(jobs, desk, a="Text a.")
    queue = JobQueue(desk.library.engine)
    queue.next()
    jobs.cancel(job)
    jobs.start()
    assert [file.status for file in done(jobs)] == ["cancelled"]
    assert desk.names() == []


def test_a_paused_base_waits_with_the_file_at_hand_and_goes_on_where_it_was(gated):
    gate, desk, jobs = gated
    submit(jobs, desk, a=LARGE, b="Short.")
    jobs.start()
    until(gate.reached.is_set)
    jobs.pause("test")
    gate.open.set()
    until(lambda: [file.status for file in jobs.standing("test").shown] == ["queued", "queued"])
    jobs.submit("other", [Upload("c.txt", b"Other text.")], desk.settings)
    until(lambda: not jobs.busy("other"))
    assert [file.status for file in jobs.standing("other").shown] == ["indexed"], "another base is not paused"
    again = jobs_of(desk.reopened())
    assert (again.paused("test"), again.paused("other"), again.paused("none")) == (True, False, False)
    assert [file.status for file in again.standing("test").shown] == ["queued", "queued"]
    again.resume("test")
    assert [file.status for file in done(again)] == ["indexed", "indexed"]
    desk.library.tidy()
    assert desk.names() == ["a.txt", "b.txt"]


def test_another_process_sees_how_far_a_file_is(gated):
    gate, desk, jobs = gated
    submit(jobs, desk, a=LARGE)
    jobs.start()
    until(gate.reached.is_set)
    [file] = jobs_of(desk.reopened()).standing("test").shown
    assert (file.status, file.stage, file.done) == ("running", "embed", 0)
    assert file.total > 64
    gate.open.set()
    [file] = done(jobs)
    assert JobQueue(desk.library.engine).told() == {}


def test_finished_files_are_cleared_at_once_and_the_others_stay(desk, jobs):
    submit(jobs, desk, a="Text a.", bad=b"%PDF-1.7 no text file")
    jobs.start()
    done(jobs)
    jobs.pause("test")
    submit(jobs, desk, late="Late.")
    jobs.clear_finished("test")
    assert [(file.name, file.status) for file in jobs.standing("test").shown] == [("late.txt", "queued")]
    assert len(desk.kept()) == 2


def test_a_full_disk_is_told_before_anything_is_written(desk, jobs, monkeypatch):
    desk.add("a.txt", "Old text.")
    usage = shutil.disk_usage(desk.library.folder)
    monkeypatch.setattr("store.files.shutil.disk_usage", lambda _: usage._replace(free=2**20))
    with pytest.raises(NotWritable, match="is full. Free some space"):
        submit(jobs, desk, b="New text.")
    report = desk.add("a.txt", "New text.")
    assert (report.status, report.code) == ("failed", "disk_full")
    assert jobs.standing("test").shown == []
    assert desk.lexical("old") == ["a.txt"]
    desk.check()
