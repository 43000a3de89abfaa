"""Sources behind the page: what they give is queued, and remembered as soon as it is accepted."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ingest.jobs import Jobs, Upload
from ingest.report import FileReport
from ingest.sources import Folder, Intake, Item, Kept, Web, told
from store.errors import NotWritable
from store.origins import Origin, Origins
from store.queue import JobQueue
from tests.ingest.desk import Desk
from tests.ingest.site import Answer, Site, html

MAX = 2**20


@pytest.fixture
def jobs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    monkeypatch.setattr("ingest.sources.file._YOUNG_NS", -(10**18))
    jobs = Jobs(JobQueue(desk.library.engine), desk.library, desk.pipeline, desk.settings)
    yield jobs
    jobs.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"Text of {name}, whole.", encoding="utf-8")
    return folder


def hand_over(desk: Desk, jobs: Jobs, kept: Kept, items: Iterable[Item]) -> list[str]:
    """As the docstring of the package says; gives what became of each item."""
    said = []
    for item in items:
        if item.data is not None:
            jobs.submit(desk.base.name, [Upload(item.name, item.data)], desk.settings)
            if item.origin:
                kept.remember(item.origin)
            said.append("queued")
        elif item.error is not None:
            said.append(told(item.name, item.error, skipped=item.skipped).status)
        else:
            said.append("unchanged")
    return said


def finish(jobs: Jobs) -> None:
    jobs.start()
    end = time.monotonic() + 30
    while jobs.busy("test"):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_folder_goes_through_the_queue_and_is_known_then(desk, jobs, folder):
    kept = Kept(desk.library, desk.base)
    assert hand_over(desk, jobs, kept, Folder(folder).items(kept, max_bytes=MAX)) == ["queued", "queued"]
    kept = Kept(desk.library, desk.base)
    assert hand_over(desk, jobs, kept, Folder(folder).items(kept, max_bytes=MAX)) == ["queued", "queued"], "not there yet"
    finish(jobs)
    kept = Kept(desk.library, desk.base)
    assert hand_over(desk, jobs, kept, Folder(folder).items(kept, max_bytes=MAX)) == ["unchanged", "unchanged"]
    (folder / "a.txt").unlink()
    chosen = Folder(folder)
    chosen.look()
    assert chosen.gone(kept) == ["a.txt"]
    desk.check()


def test_what_failed_in_the_queue_is_read_again(desk, jobs, folder):
    (folder / "a.txt").write_bytes(b"%PDF-1.7 broken")
    kept = Kept(desk.library, desk.base)
    hand_over(desk, jobs, kept, Folder(folder).items(kept, max_bytes=MAX))
    finish(jobs)
    kept = Kept(desk.library, desk.base)
    assert hand_over(desk, jobs, kept, Folder(folder).items(kept, max_bytes=MAX)) == ["queued", "unchanged"]


def test_pages_go_through_the_queue_and_errors_have_words_for_the_page(desk, jobs):
    with Site(pages={"/a": Answer(html("A", "All about a."), headers={"ETag": '"1"'})}) as site:
        with Web(site.settings()) as web:
            kept = Kept(desk.library, desk.base)
            assert hand_over(desk, jobs, kept, web.items([f"{site.url}/a", f"{site.url}/b"], kept)) == ["queued", "failed"]
        finish(jobs)
        site.pages["/a"] = lambda headers: Answer(status=304 if headers.get("If-None-Match") == '"1"' else 500)
        with Web(site.settings()) as web:
            kept = Kept(desk.library, desk.base)
            assert hand_over(desk, jobs, kept, web.items([f"{site.url}/a"], kept)) == ["unchanged"]
    desk.check()


def test_every_error_of_a_source_says_what_when_and_what_to_do(desk):
    with Web(desk.settings) as web:
        [item] = web.items(["http://127.0.0.1/"], Kept(desk.library, desk.base))
    assert item.error is not None
    report = told(item.name, item.error).as_json()
    assert (report["status"], report["code"], report["params"]) == ("failed", "private_address", {"host": "127.0.0.1"})
    said = r"http://127\.0\.0\.1/: 127\.0\.0\.1 is on this machine .*\. If that is safe here, set .*\."
    assert re.fullmatch(said, report["reason"])


def test_a_store_that_cannot_be_written_fails_one_file_and_the_next_is_tried(desk, folder, monkeypatch):
    kept = Kept(desk.library, desk.base)
    for _ in Intake(desk.pipeline, desk.base, kept, desk.settings).take(Folder(folder).items(kept, max_bytes=MAX)):
        pass
    restore = type(desk.library.files).restore

    def full(self, version, data):
        if b"a.txt" in data:
            raise NotWritable("The disk is full.", code="disk_full", folder="data")
        restore(self, version, data)

    monkeypatch.setattr("store.files.Files.restore", full)
    monkeypatch.setattr("ingest.sources.file._is_same", lambda *_: False)
    kept = Kept(desk.library, desk.base)
    events = Intake(desk.pipeline, desk.base, kept, desk.settings).take(Folder(folder).items(kept, max_bytes=MAX))
    assert [(event.status, event.code) for _, event in events if isinstance(event, FileReport)] == [
        ("failed", "disk_full"),
        ("unchanged", None),
    ]


def test_more_origins_than_one_statement_takes(desk):
    origins = Origins(desk.library)
    many = [Origin(f"{n}.txt", "here", "v", {"size": n}) for n in range(1200)]
    origins.remember(desk.base, many)
    origins.remember(desk.base, [Origin("7.txt", "there", "w", {"size": 1})])
    assert origins.of(desk.base)["7.txt"] == Origin("7.txt", "there", "w", {"size": 1})
    origins.forget(desk.base, [origin.name for origin in many[8:]])
    assert sorted(origins.of(desk.base)) == [f"{n}.txt" for n in range(8)]
    origins.remember(desk.base, [])
