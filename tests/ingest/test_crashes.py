"""Killed, crowded, and out of space: no document is lost, doubled or half there."""

from collections.abc import Callable

import pytest

from store.files import Files
from store.library import Library
from store.table import ChunkTable
from tests.ingest.desk import Desk
from tests.ingest.processes import run, start

OLD, NEW = "Refund window is thirty days.", "Shipping takes five working days."


class Killed(BaseException):
    """What ends a process at once: nothing in the app catches it, and locks and transactions end as the system would end them."""


POINTS = {
    "before the chunks": (ChunkTable, "replace_document"),
    "before the handing over": (Library, "hand_over"),
    "before the row": (Library, "put"),
    "before the chunks go": (ChunkTable, "delete_documents"),
    "before the row goes": (Library, "delete_document"),
    "before the old bytes go": (Files, "forget"),
}


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch):
    """Do something and be killed at a point of POINTS."""

    def kill(point: str, act: Callable[..., object], *arguments: object) -> None:
        def die(*_: object, **__: object) -> None:
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(*POINTS[point], die)
            with pytest.raises(Killed):
                act(*arguments)

    return kill


@pytest.mark.parametrize("point", ["before the chunks", "before the row"])
@pytest.mark.parametrize("known", [True, False])
def test_killed_while_adding_or_replacing(desk, killed, point, known):
    desk.add("other.txt", "Other words.")
    if known:
        desk.add("a.txt", OLD)
    killed(point, desk.add, "a.txt", NEW)
    again = desk.reopened()
    if known:
        assert again.library.find(again.base, "a.txt").status == "pending"
        assert again.library.text(again.library.find(again.base, "a.txt").doc_id) == OLD
        assert len(again.lexical("refund")) + len(again.lexical("shipping")) == 1  # whole, the old or the new
    [report] = again.pipeline.recover(again.settings)
    assert (report.source, report.status) == ("a.txt", "replaced" if known else "indexed")
    assert (again.lexical("shipping"), again.lexical("refund"), again.lexical("other")) == (["a.txt"], [], ["other.txt"])
    again.check()
    assert again.pipeline.recover(again.settings) == []


def test_recovery_uses_the_settings_that_the_file_was_added_with(desk, killed):
    text = "Sentence about refunds and receipts. " * 60
    killed("before the chunks", lambda: desk.add("a.txt", text, chunk_size=400))
    [report] = desk.pipeline.recover(desk.settings)
    assert report.chunks >= len(text) // 400


@pytest.mark.parametrize("point", ["before the chunks", "before the handing over", "before the row", "before the old bytes go"])
def test_killed_while_replacing_a_file_that_has_a_further_name(desk, killed, point):
    desk.add("a.txt", OLD)
    desk.add("b.txt", OLD)
    killed(point, desk.add, "a.txt", NEW)
    desk.pipeline.recover(desk.settings)
    assert (desk.lexical("shipping"), desk.lexical("refund")) == (["a.txt"], ["b.txt"])
    desk.check()


@pytest.mark.parametrize("point", ["before the chunks go", "before the row goes", "before the old bytes go"])
def test_killed_while_deleting(desk, killed, point):
    desk.add("a.txt", OLD)
    desk.add("b.txt", NEW)
    killed(point, desk.delete, "a.txt")
    desk.pipeline.recover(desk.settings)
    assert (desk.lexical("refund"), desk.names()) == ([], ["b.txt"])
    desk.check()


@pytest.mark.parametrize("point", ["before the chunks", "before the handing over"])
def test_killed_while_deleting_a_file_that_has_a_further_name(desk, killed, point):
    for name in ("a.txt", "b.txt", "c.txt"):
        desk.add(name, OLD)
    killed(point, desk.delete, "a.txt")
    desk.pipeline.recover(desk.settings)
    assert desk.lexical("refund") == ["b.txt"]
    assert desk.library.find(desk.base, "b.txt").aliases == ("c.txt",)
    desk.check()


def test_added_again_without_recovery_after_a_kill(desk, killed):
    killed("before the row", desk.add, "a.txt", OLD)
    assert desk.add("b.txt", OLD).status == "indexed"  # the killed one is not there yet
    assert desk.add("a.txt", OLD).status == "duplicate"
    desk.check()


def test_deleted_and_added_again_after_a_killed_deletion(desk, killed):
    desk.add("a.txt", OLD)
    killed("before the row goes", desk.delete, "a.txt")
    assert desk.library.find(desk.base, "a.txt").status == "deleting"
    assert desk.add("a.txt", OLD).status == "replaced"
    desk.pipeline.recover(desk.settings)
    assert desk.lexical("refund") == ["a.txt"]
    desk.check()


def test_a_change_whose_bytes_are_gone_is_given_up(desk, killed):
    killed("before the chunks", desk.add, "a.txt", OLD)
    for path in (desk.library.folder / "files").iterdir():
        path.unlink()
    [report] = desk.pipeline.recover(desk.settings)
    assert (report.status, "Add it again" in report.reason) == ("failed", True)
    desk.check()


@pytest.mark.slow
def test_a_process_killed_with_signal_9(desk):
    desk.add("a.txt", OLD)
    assert run(desk.library.folder, "killed before the row")[0] == -9
    assert desk.library.find(desk.base, "a.txt").status == "pending"
    assert [report.status for report in desk.pipeline.recover(desk.settings)] == ["replaced"]
    assert (desk.lexical("shipping"), desk.lexical("refund")) == (["a.txt"], [])
    desk.check()


@pytest.mark.slow
def test_two_processes_at_once_add_documents_of_their_own_and_the_same(desk):
    both = [start(desk.library.folder, "add", prefix) for prefix in "xy"]
    outputs = "".join(process.communicate(timeout=120)[0] for process in both)
    assert (outputs.count("'indexed'"), outputs.count("'unchanged'")) == (25, 5)
    assert desk.chunks.count() == len(desk.names()) == 25
    desk.check()


@pytest.mark.parametrize(("name", "status"), [("a.txt", "unchanged"), ("b.txt", "duplicate")])
def test_the_same_bytes_stored_by_another_while_these_were_embedded(desk, name, status):
    events = desk.pipeline.add(desk.base, name, OLD.encode(), desk.settings)
    while next(events).stage != "store":
        pass
    assert desk.reopened().add("a.txt", OLD).status == "indexed"
    assert next(events).status == status
    assert desk.chunks.count() == 1
    desk.check()


@pytest.mark.slow
def test_a_full_disk_is_named_and_what_was_there_stays(desk):
    desk.add("a.txt", OLD)
    status, reason = run(desk.library.folder, "full disk")
    assert status == 0
    assert "is full. Free some space" in reason
    assert (desk.lexical("refund"), desk.lexical("shipping")) == (["a.txt"], [])
    assert desk.library.text(desk.library.find(desk.base, "a.txt").doc_id) == OLD
    desk.pipeline.recover(desk.settings)
    desk.check()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("lance error: LanceError(IO): No space left on device (os error 28)"), "is full. Free some space"),
        (OSError(13, "Permission denied"), "may not be written"),
        (RuntimeError("lance error: something else\nat line 3"), "something else. Try again."),
    ],
)
def test_a_failed_commit_leaves_the_old_document_whole(desk, monkeypatch, error, said):
    desk.add("a.txt", OLD)

    def fails(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(ChunkTable, "_moved", fails)
        report = desk.add("a.txt", NEW)
    assert report.status == "failed"
    assert said in report.reason
    assert desk.lexical("refund") == ["a.txt"]
    desk.check()
    assert desk.add("a.txt", NEW).status == "replaced"
    desk.check()


def test_fewer_chunks_stored_than_made_is_told_and_mended(desk, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(ChunkTable, "replace_document", lambda *_, **__: 0)
        report = desk.add("a.txt", OLD)
    assert (report.status, "1 chunks were made and 0 stored" in report.reason) == ("failed", True)
    assert [r.status for r in desk.pipeline.recover(desk.settings)] == ["indexed"]
    desk.check()


def test_a_base_deleted_while_a_file_is_on_its_way(desk):
    events = desk.pipeline.add(desk.base, "a.txt", OLD.encode(), desk.settings)
    next(events)
    folder = desk.library.chunk_folder(desk.base)
    desk.library.delete_base("test")
    report = list(events)[-1]
    assert (report.status, "deleted meanwhile" in report.reason) == ("failed", True)
    assert not folder.exists()
    assert desk.kept() == set()
    assert desk.library.bases() == []


def test_recovery_leaves_alone_what_another_process_is_doing(desk):
    """The lock is held while a change is under way, so what recovery sees is never alive."""
    from threading import Thread

    seen: list[list[object]] = []
    other: Desk = desk.reopened()
    recovery = Thread(target=lambda: seen.append(list(other.pipeline.recover(other.settings))))
    put = desk.library.put

    def slow_put(*args, **kwargs):
        recovery.start()
        recovery.join(0.3)
        assert recovery.is_alive()
        put(*args, **kwargs)

    desk.library.put = slow_put
    assert desk.add("a.txt", OLD).status == "indexed"
    recovery.join()
    assert seen == [[]]
    desk.check()
