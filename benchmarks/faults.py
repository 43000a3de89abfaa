"""Processes killed in the middle of their work, and two at once: nothing is lost, doubled, orphaned or half there.

`python -m benchmarks.faults` adds, replaces and deletes 50 documents while the process that does so is killed (kill -9) at 20
random moments, half of them a little after a change was begun; then it works a queue off and edits documents under the same
conditions; then two processes add 100 documents each to one base at the same time. After every kill the base must be whole
(ingest/consistency.py) and hold whatever was acknowledged.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select

from benchmarks._standin import HashedEmbeddings
from ingest.consistency import check
from ingest.jobs import Jobs, Upload
from ingest.pipeline import Pipeline
from settings import Settings, load_settings
from store.database import connect
from store.library import Library
from store.queue import JobQueue
from store.rows import ChangeRow
from store.stores import Stores

BASE = "faults"
ROOT = Path(__file__).parents[1]
Step = tuple[str, str, int]
"""What is done to which name, with which version of its text; 0 deletes it."""


def main() -> None:
    """Print what was done and what was found."""
    from benchmarks import fault_edits  # which uses this module

    call = _parser().parse_args()
    if call.work:
        {"plan": _work_plan, "queue": _work_queue, "add": _work_add}[call.work](Path(call.folder), call)
        return
    with tempfile.TemporaryDirectory() as folder:
        print(killed(Path(folder) / "plan", documents=call.documents, kills=call.kills, seed=call.seed))
        print(killed_queue(Path(folder) / "queue", documents=call.documents, kills=call.kills // 2, seed=call.seed))
        print(fault_edits.killed_edits(Path(folder) / "edits", documents=call.documents // 2, kills=call.kills, seed=call.seed))
        print(crowded(Path(folder) / "crowd", documents=call.crowd))


@dataclass
class Found:
    """What a run came to; `problems` is empty when all is well."""

    what: str
    kills: int = 0
    in_change: int = 0
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        told = "; ".join(self.problems) or "nothing lost, doubled or orphaned, check passes"
        left = f", {self.in_change} of them in the middle of a change"
        return f"{self.what}: {self.kills} kills{left if self.kills else ''}, {self.seconds:.0f} s: {told}"


def killed(folder: Path, *, documents: int, kills: int, seed: int = 1) -> Found:
    """Add, replace and delete documents while the process is killed at random moments."""
    found, began, draw = Found(f"{documents} documents added, replaced, deleted"), time.perf_counter(), random.Random(seed)
    open_store(folder)
    steps, done = plan(documents), 0
    while done < len(steps):
        process = _start(folder, "plan", done=done, documents=documents)
        done += until_killed(process, folder, found, kills, draw)
        _look(folder, steps, done, found)
    found.seconds = time.perf_counter() - began
    return found


def killed_queue(folder: Path, *, documents: int, kills: int, seed: int = 1) -> Found:
    """Hand documents over to the queue and kill who works it off at random moments: all are indexed in the end, each once."""
    found, began, draw = Found(f"{documents} documents in the queue"), time.perf_counter(), random.Random(seed)
    stores, pipeline, settings = open_store(folder)
    jobs = Jobs(JobQueue(stores.library.engine), stores.library, pipeline, settings)
    ids = jobs.submit(BASE, [Upload(f"{n}.txt", text_of(n, 1)) for n in range(documents)], settings)
    while jobs.busy(BASE):
        until_killed(_start(folder, "queue"), folder, found, kills, draw)
    files = jobs.standing(BASE, most=documents).shown
    if [file.id for file in files] != ids or not {file.status for file in files} <= {"indexed", "unchanged"}:
        found.problems.append(f"the queue ended as {[file.status for file in files]}")
    _look(folder, [("add", f"{n}.txt", 1) for n in range(documents)], documents, found)
    found.seconds = time.perf_counter() - began
    return found


def crowded(folder: Path, *, documents: int) -> Found:
    """Two processes add documents to one base at the same time."""
    found, began = Found(f"2 x {documents} documents at once"), time.perf_counter()
    open_store(folder)
    both = [_start(folder, "add", done=first, documents=documents) for first in (0, documents)]
    for process in both:
        said, _ = process.communicate()
        if process.returncode or said.split().count("indexed") != documents:
            found.problems.append(f"a process ended with {process.returncode} and said {said!r}")
    _look(folder, [("add", f"{n}.txt", 1) for n in range(2 * documents)], 2 * documents, found)
    found.seconds = time.perf_counter() - began
    return found


def plan(documents: int) -> list[Step]:
    """Every document is added, every third replaced, every fifth deleted, in a mixed order that keeps those three in turn."""
    steps: list[Step] = [("add", f"{n}.txt", 1) for n in range(documents)]
    later: list[Step] = [("replace", f"{n}.txt", 2) for n in range(0, documents, 3)]
    later += [("delete", f"{n}.txt", 0) for n in range(0, documents, 5)]
    draw = random.Random(7)
    for step in later:
        after = max(place for place, other in enumerate(steps) if other[1] == step[1])
        steps.insert(draw.randint(after + 1, len(steps)), step)
    return steps


def _look(folder: Path, steps: list[Step], done: int, found: Found) -> None:
    """Open the store as the next process does, and hold what is there against what was acknowledged."""
    stores, pipeline, settings = open_store(folder)
    library = stores.library
    pipeline.recover(settings)
    base = library.base(BASE)
    found.problems.extend(f"after {done} steps: {problem.as_json()['reason']}" for problem in check(stores, base))
    expected = {name: version for _, name, version in steps[:done]}
    there = {name: document for document in library.documents(base) for name in (document.source, *document.aliases)}
    open_step = steps[done][1:] if done < len(steps) else ("", 0)
    for name in {*expected, *there}:
        versions = {expected.get(name, 0), *([open_step[1]] if name == open_step[0] else [])}
        text = library.text(there[name].doc_id).encode() if name in there else b""
        if text not in {text_of(int(name[:-4]), version) if version else b"" for version in versions}:
            found.problems.append(f"after {done} steps {name} is not as it was acknowledged")
    pipeline.close()
    library.engine.dispose()


def until_killed(process: subprocess.Popen[str], folder: Path, found: Found, kills: int, draw: random.Random) -> int:
    """Let a process work and kill it, while fewer were than should be; how many steps it acknowledged.

    At a random moment; every second time a little after a change was begun, since changes are short.
    """
    assert process.stdout
    process.stdout.readline()  # it begins now
    if found.kills < kills:
        time.sleep(draw.uniform(0.0, 0.2))
        until = time.monotonic() + 2
        while found.kills % 2 and process.poll() is None and time.monotonic() < until and not _is_changing(folder):
            time.sleep(0.001)
        time.sleep(draw.uniform(0.0, 0.02))
        process.kill()
    said, _ = process.communicate()
    if process.returncode:
        found.kills += 1
        found.in_change += _is_changing(folder)
    return said.count("\n")


def _is_changing(folder: Path) -> bool:
    engine = connect(folder)
    with engine.connect() as connection:
        begun = connection.scalar(select(func.count()).select_from(ChangeRow))
    engine.dispose()
    return bool(begun)


def _start(folder: Path, work: str, *, done: int = 0, documents: int = 0) -> subprocess.Popen[str]:
    call = [sys.executable, "-m", "benchmarks.faults", "--work", work, "--folder", str(folder)]
    call += ["--done", str(done), "--documents", str(documents)]
    return subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _work_plan(folder: Path, call: argparse.Namespace) -> None:
    stores, pipeline, settings = open_store(folder)
    base = stores.library.base(BASE)
    pipeline.recover(settings)
    _warm(pipeline)
    say("ready")
    for _, name, version in plan(call.documents)[call.done :]:
        if version:
            pipeline.run(base, name, text_of(int(name[:-4]), version), settings)
        else:
            pipeline.delete(base, name)
        say(name)
    pipeline.finish(base)


def _work_queue(folder: Path, _: argparse.Namespace) -> None:
    stores, pipeline, settings = open_store(folder)
    _warm(pipeline)
    jobs = Jobs(JobQueue(stores.library.engine), stores.library, pipeline, settings)
    say("ready")
    jobs.start()
    while jobs.busy(BASE):
        time.sleep(0.02)
    jobs.stop()


def _work_add(folder: Path, call: argparse.Namespace) -> None:
    stores, pipeline, settings = open_store(folder)
    base = stores.library.base(BASE)
    _warm(pipeline)
    for number in range(call.done, call.done + call.documents):
        report = pipeline.run(base, f"{number}.txt", text_of(number, 1), settings)
        say(report.status if report.status == "indexed" else report.reason)
    pipeline.finish(base)


def open_store(folder: Path) -> tuple[Stores, Pipeline, Settings]:
    """A store folder as a process of its own opens it."""
    settings = load_settings({"store.dir": str(folder)}, env={})
    stores = Stores(Library(connect(folder), folder=folder), HashedEmbeddings(16), settings)
    stores.library.ensure_base(BASE)
    return stores, Pipeline(stores), settings


def _warm(pipeline: Pipeline) -> None:
    """Start the process that reads, so that kills hit the work and not the start."""
    pipeline.sandbox.read("warm.txt", b"", load_settings({}, env={}).ingest)


def text_of(number: int, version: int) -> bytes:
    """The bytes of a document."""
    return "\n\n".join(f"Document {number}, version {version}, paragraph {p} speaks of subject{p}." for p in range(40)).encode()


def say(word: str) -> None:
    """Tell whoever started this process, at once."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--documents", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--crowd", type=int, default=100, help="documents that each of two processes adds (default: 100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", choices=["plan", "queue", "add"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--done", type=int, default=0, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main()
