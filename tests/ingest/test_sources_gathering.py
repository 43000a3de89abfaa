"""Sources read behind the page: through the queue, with progress, cancelled, pruned, and what failed told with its reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from ingest.jobs import Jobs
from ingest.sources.asked import AskedFolder, AskedPages, AskedSitemap
from ingest.sources.gathering import Gathered, Gathering
from ingest.sources.selection import Selection
from settings import Settings
from store.queue import JobQueue
from tests.files import make_pdf
from tests.ingest.desk import Desk, write
from tests.ingest.site import Answer, Site, html, sitemap
from tests.ingest.test_jobs import Gate, jobs_of, until


@pytest.fixture
def jobs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    monkeypatch.setattr("ingest.sources.gathering.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("ingest.sources.file._YOUNG_NS", -(10**18))
    jobs = Jobs(JobQueue(desk.library.engine), desk.library, desk.pipeline, desk.settings)
    jobs.start()
    yield jobs
    jobs.stop()


@pytest.fixture
def gathering(desk: Desk, jobs: Jobs) -> Iterator[Gathering]:
    gathering = Gathering(desk.library, desk.pipeline, jobs)
    yield gathering
    gathering.stop()


def allowing(desk: Desk, folder: Path) -> Settings:
    return desk.settings.override({"sources.folders": [str(folder)]})


def done(gathering: Gathering, desk: Desk) -> Gathered:
    """The last source, once it is done."""
    until(lambda: not gathering.busy(desk.base.id))
    return gathering.progress(desk.base.id)[-1]


def read(
    gathering: Gathering, jobs: Jobs, desk: Desk, folder: Path, selection: Selection | None = None, *, prune: bool = False
) -> Gathered:
    """A folder, with all that was queued of it indexed."""
    gathering.start("test", AskedFolder(folder, selection or Selection(), prune), allowing(desk, folder))
    outcome = done(gathering, desk)
    until(lambda: not jobs.busy("test"))
    return outcome


def test_a_folder_is_queued_indexed_and_not_read_again(desk: Desk, jobs: Jobs, gathering: Gathering, folder: Path) -> None:
    outcome = read(gathering, jobs, desk, folder)
    assert (outcome.names, outcome.stage, outcome.done, outcome.total) == ((str(folder),), "finished", 2, 2)
    assert (dict(outcome.counts), outcome.told, outcome.problem) == ({"queued": 2}, (), None)
    assert desk.names() == ["a.txt", "deep/知识.md"]
    assert "deep/知识.md" in desk.lexical("退款")
    assert dict(read(gathering, jobs, desk, folder).counts) == {"unchanged": 2}
    write(folder / "a.txt", "Refund window is ninety days.")
    assert dict(read(gathering, jobs, desk, folder).counts) == {"queued": 1, "unchanged": 1}
    assert len(gathering.progress(desk.base.id)) == 3
    gathering.dismiss(outcome.id)
    assert len(gathering.progress(desk.base.id)) == 2
    desk.check()


def test_the_patterns_choose_and_what_is_left_out_is_told(desk: Desk, jobs: Jobs, gathering: Gathering, folder: Path) -> None:
    write(folder / "draft.md", "Not yet.")
    write(folder / ".hidden", "Hidden.")
    (folder / "out").symlink_to(folder.parent)
    outcome = read(gathering, jobs, desk, folder, Selection(("*.md",), ("draft*",)))
    assert desk.names() == ["deep/知识.md"]
    assert outcome.unwanted == 2
    assert {(left.name, left.why) for left in outcome.left_out} == {(".hidden", "hidden"), ("out", "link_outside")}


def test_what_cannot_be_read_is_told_and_the_rest_is_added(desk: Desk, jobs: Jobs, gathering: Gathering, folder: Path) -> None:
    (folder / "broken").symlink_to(folder / "nowhere")
    write(folder / "b.txt", "Another text.")
    (folder / "b.txt").chmod(0)
    try:
        outcome = read(gathering, jobs, desk, folder)
    finally:
        (folder / "b.txt").chmod(0o600)
    if outcome.counts["failed"]:  # nobody may keep the system's own user from reading
        assert [(report.source, report.code) for report in outcome.told] == [("b.txt", "not_readable")]
    assert {"a.txt", "deep/知识.md"} <= set(desk.names())


def test_a_folder_that_is_not_allowed_any_more_is_refused_when_its_turn_comes(
    desk: Desk, gathering: Gathering, folder: Path
) -> None:
    gathering.start("test", AskedFolder(folder / "deep"), allowing(desk, folder / "other"))
    problem = done(gathering, desk).problem
    assert problem
    assert (problem.code, problem.source) == ("folder_not_allowed", str(folder / "deep"))
    assert desk.names() == []


def test_what_is_gone_is_taken_out_only_if_asked_for_and_a_renamed_file_keeps_its_tags(
    desk: Desk, jobs: Jobs, gathering: Gathering, folder: Path
) -> None:
    read(gathering, jobs, desk, folder)
    desk.add("upload.txt", "From elsewhere.")
    document = desk.library.find(desk.base, "a.txt")
    assert document
    desk.library.set_tags(document.doc_id, ["terms"])
    (folder / "a.txt").rename(folder / "b.txt")
    (folder / "deep" / "知识.md").unlink()
    assert read(gathering, jobs, desk, folder).counts["deleted"] == 0
    assert desk.names() == ["a.txt", "deep/知识.md", "upload.txt"]
    outcome = read(gathering, jobs, desk, folder, prune=True)
    assert outcome.counts["deleted"] == 2
    assert desk.names() == ["b.txt", "upload.txt"]
    renamed = desk.library.find(desk.base, "b.txt")
    assert renamed
    assert renamed.tags == ("terms",), "it was known under its new name before the old one went"
    desk.check()


def test_pages_come_under_their_addresses_and_each_failure_has_its_reason(desk: Desk, jobs: Jobs, gathering: Gathering) -> None:
    with Site(pages={"/a": html("A", "All about apples."), "/退款": html("退款", "退款期限为三十天。")}) as site:
        site.pages["/%E9%80%80%E6%AC%BE"] = site.pages.pop("/退款")
        asked = AskedPages((f"{site.url}/a", f"{site.url}/退款", f"{site.url}/gone", "https://who:secret@example.org/x"))
        gathering.start(
            "test", asked, desk.settings.override({f"sources.{k}": v for k, v in site.settings().sources.model_dump().items()})
        )
        outcome = done(gathering, desk)
        until(lambda: not jobs.busy("test"))
        assert desk.names() == sorted([f"{site.url}/a", f"{site.url}/退款"])
        assert dict(outcome.counts) == {"queued": 2, "failed": 2}
        assert [report.code for report in outcome.told] == ["page_missing", "url_credentials"]
        assert "secret" not in repr(outcome)
    reports = [document.report for document in desk.library.documents(desk.base)]
    assert [report["type"] for report in reports] == ["html", "html"]


def test_private_addresses_stay_refused(desk: Desk, gathering: Gathering) -> None:
    gathering.start("test", AskedPages(("http://127.0.0.1:1/", "http://169.254.169.254/latest")), desk.settings)
    assert [report.code for report in done(gathering, desk).told] == ["private_address", "private_address"]


def test_a_sitemap_is_read_chosen_from_and_pruned(desk: Desk, jobs: Jobs, gathering: Gathering) -> None:
    with Site() as site:
        site.pages |= {f"/{name}": html(name, f"All about {name}.") for name in ("docs/a", "docs/b", "news/c")}
        settings = desk.settings.override({f"sources.{k}": v for k, v in site.settings().sources.model_dump().items()})

        def listed(*paths: str) -> Gathered:
            site.pages["/sitemap.xml"] = sitemap(*(f"{site.url}/{path}" for path in paths))
            gathering.start("test", AskedSitemap(f"{site.url}/sitemap.xml", Selection(("docs",)), prune=True), settings)
            outcome = done(gathering, desk)
            until(lambda: not jobs.busy("test"))
            return outcome

        first = listed("docs/a", "docs/b", "news/c")
        assert (first.counts["queued"], first.unwanted) == (2, 1)
        assert desk.names() == [f"{site.url}/docs/a", f"{site.url}/docs/b"]
        assert listed("docs/b").counts["deleted"] == 1
        assert desk.names() == [f"{site.url}/docs/b"]


def test_a_cancelled_source_ends_after_the_page_at_hand_and_one_that_waits_at_once(
    desk: Desk, jobs: Jobs, gathering: Gathering
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow(_: object) -> Answer:
        reached.set()
        assert go_on.wait(20)
        return Answer(html("B", "All about b."))

    with Site(pages={"/a": html("A", "All about a."), "/b": slow, "/c": html("C", "All about c.")}) as site:
        settings = desk.settings.override(
            {f"sources.{k}": v for k, v in site.settings(respect_robots=False).sources.model_dump().items()}
        )
        first = gathering.start("test", AskedPages(tuple(f"{site.url}/{name}" for name in "abc")), settings)
        second = gathering.start("test", AskedPages((f"{site.url}/c",)), settings)
        assert reached.wait(20)
        state, waiting = gathering.progress(desk.base.id)
        assert (state.stage, state.done, state.total, state.name, waiting.stage) == ("reading", 1, 3, f"{site.url}/a", "waiting")
        gathering.dismiss(first)
        gathering.cancel(second)
        assert gathering.progress(desk.base.id)[1].finished
        gathering.cancel(first)
        assert gathering.progress(desk.base.id)[0].stopping
        go_on.set()
        until(lambda: not gathering.busy(desk.base.id))
        assert [path for path in site.asked if path == "/c"] == []
    until(lambda: not jobs.busy("test"))
    assert desk.names() == [f"{site.url}/a", f"{site.url}/b"], "what was read by then is added"


def test_a_base_that_is_deleted_meanwhile_is_not_made_anew(desk: Desk, gathering: Gathering, jobs: Jobs) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow(_: object) -> Answer:
        reached.set()
        assert go_on.wait(20)
        return Answer(html("A", "All about a."))

    with Site(pages={"/a": slow}) as site:
        settings = desk.settings.override(
            {f"sources.{k}": v for k, v in site.settings(respect_robots=False).sources.model_dump().items()}
        )
        base = desk.base
        gathering.start("test", AskedPages((f"{site.url}/a",)), settings)
        assert reached.wait(20)
        desk.library.delete_base("test")
        go_on.set()
        until(lambda: not gathering.busy(base.id))
    [outcome] = gathering.progress(base.id)
    assert outcome.problem
    assert outcome.problem.code == "unknown_base"
    assert desk.library.bases() == []


def test_a_password_opens_the_files_of_a_folder_and_is_not_kept(
    desk: Desk, jobs: Jobs, gathering: Gathering, tmp_path: Path
) -> None:
    place = tmp_path / "locked"
    place.mkdir()
    (place / "a.pdf").write_bytes(make_pdf(["The refund period is thirty days."], user_password="s3cret"))
    gathering.start("test", AskedFolder(place), allowing(desk, place), password=SecretStr("s3cret"))
    done(gathering, desk)
    until(lambda: not jobs.busy("test"))
    assert [file.status for file in jobs.standing("test").shown] == ["indexed"]
    assert desk.lexical("refund") == ["a.pdf"]


def test_pruning_waits_for_the_files_of_a_paused_base_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sources.gathering.LOOK_SECONDS", 0.02)
    desk = Desk.on(tmp_path / "store", Gate())
    jobs = jobs_of(desk)  # nobody works the queue off
    gathering = Gathering(desk.library, desk.pipeline, jobs)
    place = write(tmp_path / "in" / "a.txt", "Some words.").parent
    key = gathering.start("test", AskedFolder(place, prune=True), allowing(desk, place))
    until(lambda: gathering.progress(desk.base.id)[0].stage == "indexing")
    gathering.cancel(key)
    until(lambda: not gathering.busy(desk.base.id))
    assert [file.status for file in jobs.standing("test").shown] == ["queued"]
    gathering.stop()
    desk.library.engine.dispose()


def test_whatever_goes_wrong_is_told_and_the_next_source_is_read(
    desk: Desk, jobs: Jobs, gathering: Gathering, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    with monkeypatch.context() as patch:
        patch.setattr("ingest.sources.asked.Folder", broken)
        gathering.start("test", AskedFolder(folder), allowing(desk, folder))
        problem = done(gathering, desk).problem
    assert problem
    assert (problem.code, problem.params) == ("unexpected", {"message": "ZeroDivisionError: by nothing"})
    assert dict(read(gathering, jobs, desk, folder).counts) == {"queued": 2}
