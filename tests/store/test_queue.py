"""The queue of files: in order, each taken once, whatever happens to who took it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from store.database import connect
from store.library import Library
from store.queue import Job, JobQueue


@pytest.fixture
def queue(library: Library) -> JobQueue:
    return JobQueue(library.engine)


@pytest.fixture
def base_id(library: Library) -> str:
    return library.ensure_base("a").id


def jobs_of(queue: JobQueue, base_id: str) -> list[Job]:
    """All files of a base, in order."""
    found = (job for kind in queue.counts(base_id) for job in queue.first(base_id, kind, 99))
    return sorted(found, key=lambda job: job.created_at)


def test_files_are_taken_in_order_and_each_once(queue, base_id):
    ids = [queue.add(base_id, f"{n}.txt", version=str(n), settings={"chunk_size": n}).id for n in range(3)]
    taken = [queue.next() for _ in range(4)]
    assert [job and job.id for job in taken] == [*ids, None]
    assert [(job.status, job.settings) for job in taken[:3]] == [("running", {"chunk_size": n}) for n in range(3)]
    assert [job.id for job in jobs_of(queue, base_id)] == ids


def test_many_takers_in_two_engines_never_get_the_same(queue, base_id, library):
    engine = connect(library.folder)
    other = JobQueue(engine)
    ids = {queue.add(base_id, f"{n}.txt", version="v", settings={}).id for n in range(60)}
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda n: (queue, other)[n % 2].next(), range(70)))
    engine.dispose()
    found = [job.id for job in taken if job]
    assert len(found) == 60
    assert set(found) == ids


def test_what_was_running_waits_again(queue, base_id):
    one, two = (queue.add(base_id, name, version="v", settings={}) for name in ("1.txt", "2.txt"))
    queue.next()
    queue.put_back()
    assert [job.status for job in jobs_of(queue, base_id)] == ["queued", "queued"]
    assert (queue.next().id, queue.next().id) == (one.id, two.id)
    queue.put_back(two.id)
    assert [job.status for job in jobs_of(queue, base_id)] == ["running", "queued"]


def test_only_a_finished_file_is_tried_again_or_forgotten(queue, base_id):
    job = queue.add(base_id, "1.txt", version="v1", settings={})
    assert queue.forget(job.id) is None
    queue.next()
    queue.retry(job.id)
    assert (queue.forget(job.id), jobs_of(queue, base_id)[0].status) == (None, "running")
    queue.finish(job.id, status="failed", reason="broken: it's", report={"chunks": 0})
    [found] = jobs_of(queue, base_id)
    assert (found.status, found.reason, found.report) == ("failed", "broken: it's", {"chunks": 0})
    queue.retry(job.id)
    assert (jobs_of(queue, base_id)[0].status, jobs_of(queue, base_id)[0].reason) == ("queued", "")
    queue.next()
    queue.finish(job.id, status="indexed")
    assert queue.forget(job.id) == "v1"
    assert jobs_of(queue, base_id) == []


def test_the_files_of_a_deleted_base_go_with_it(queue, base_id, library):
    queue.add(base_id, "1.txt", version="v", settings={})
    library.delete_base("a")
    assert queue.next() is None


def test_files_are_counted_by_kind_and_the_first_of_each_are_read(queue, base_id, library):
    warned: dict[str, Any] = {"warnings": [{"reason": "garbled"}]}
    clean: dict[str, Any] = {"warnings": []}
    ends = [("indexed", clean), ("indexed", warned), ("failed", None), ("duplicate", None), ("cancelled", None), ("empty", clean)]
    ids = [queue.add(base_id, f"{n}.txt", version="v", settings={}).id for n in range(10)]
    for status, report in ends:
        queue.finish(queue.next().id, status=status, report=report)
    running = queue.next().id
    assert queue.counts(base_id) == {"fine": 2, "amiss": 4, "under_way": 1, "waiting": 3}
    read = {kind: [job.id for job in queue.first(base_id, kind, 2)] for kind in queue.counts(base_id)}
    assert read == {"fine": [ids[0], ids[3]], "amiss": [ids[1], ids[2]], "under_way": [running], "waiting": ids[7:9]}
    assert [job.id for job in queue.first(base_id, "fine", 1)] == [ids[3]], "of those that are fine, the last"
    assert queue.left(base_id) == 4
    assert queue.unfinished([*ids, "unknown"] * 400) == set(ids[6:])
    other = library.ensure_base("b").id
    kept = queue.add(other, "kept.txt", version="v", settings={}).id
    queue.cancel_all(base_id)
    assert queue.counts(base_id) == {"fine": 2, "amiss": 7, "under_way": 1}
    assert [job.status for job in queue.first(base_id, "under_way", 2)] == ["cancelling"]
    assert (queue.unfinished([kept]), queue.counts(other)) == ({kept}, {"waiting": 1})
