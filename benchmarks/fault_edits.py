"""Processes killed while they switch chunks and documents off and on and correct chunks: nothing acknowledged is lost.

A part of `python -m benchmarks.faults`. Each step sets one thing of one document, so after a kill every thing is as its last
acknowledged step left it, or as the step that was under way would have.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.faults import BASE, ROOT, Found, open_store, say, text_of, until_killed
from ingest.consistency import check
from ingest.edits import chunks, correct, revert, switch
from settings import Settings
from store.library import Base
from store.stores import Stores

Step = tuple[str, str, str]
"""Which thing of which document becomes what: `text` of its first chunk ("" is the document's), `last` chunk or `document`
off or on.
"""


def killed_edits(folder: Path, *, documents: int, kills: int, seed: int = 1) -> Found:
    """Edit documents while the process is killed at random moments."""
    found, began, draw = Found(f"edits of {documents} documents"), time.perf_counter(), random.Random(seed)
    stores, pipeline, settings = open_store(folder)
    base = stores.library.base(BASE)
    for number in range(documents):
        pipeline.run(base, f"{number}.txt", text_of(number, 1), settings)
    pipeline.close()
    stores.library.engine.dispose()
    steps, done = plan(documents), 0
    while done < len(steps):
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fault_edits", str(folder), str(done), str(documents)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        done += until_killed(process, folder, found, kills, draw)
        _look(folder, steps, done, found)
    found.seconds = time.perf_counter() - began
    return found


def plan(documents: int) -> list[Step]:
    """The steps, the same each time."""
    draw, steps = random.Random(11), list[Step]()
    for turn in range(4):
        names = [f"{number}.txt" for number in range(documents)]
        draw.shuffle(names)
        for name in names:
            thing = draw.choice(["text", "text", "last", "document"])
            new = "" if draw.random() < 0.2 else f"Correction{turn} of {name} speaks of samovars."
            steps.append((thing, name, new if thing == "text" else draw.choice(["on", "off"])))
    return steps


def _work(stores: Stores, base: Base, step: Step, settings: Settings) -> None:
    thing, name, value = step
    held = chunks(stores, base, name).chunks
    if thing == "text" and value:
        correct(stores, base, held[0].id, value, settings)
    elif thing == "text":
        revert(stores, base, held[0].id, settings)
    else:
        switch(stores, base, name, on=value == "on", chunk_ids=[held[-1].id] if thing == "last" else [])


def _look(folder: Path, steps: list[Step], done: int, found: Found) -> None:
    """Open the store as the next process does, and hold what is there against what was acknowledged."""
    stores, pipeline, settings = open_store(folder)
    base = stores.library.base(BASE)
    pipeline.recover(settings)
    found.problems.extend(f"after {done} steps: {problem.as_json()['reason']}" for problem in check(stores, base))
    allowed = {(thing, name): {value} for thing, name, value in steps[:done]}
    for thing, name, value in steps[done : done + 1]:
        allowed[thing, name] = {value, *allowed.get((thing, name), {"" if thing == "text" else "on"})}
    for (thing, name), values in allowed.items():
        if (is_now := dict(_things(stores, base, name))[thing]) not in values:
            found.problems.append(f"after {done} steps {thing} of {name} is {is_now!r} instead of {values}")
    pipeline.close()
    stores.library.engine.dispose()


def _things(stores: Stores, base: Base, name: str) -> Iterator[tuple[str, str]]:
    told = chunks(stores, base, name)
    yield "text", told.chunks[0].text if told.chunks[0].edited else ""
    yield "document", "on" if told.document.enabled else "off"
    singly = any(edit.kind == "off" for edit in stores.library.edits(told.document.doc_id))
    yield "last", "off" if singly else "on"


def main() -> None:
    """The process that is killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("done", type=int)
    parser.add_argument("documents", type=int)
    call = parser.parse_args()
    stores, pipeline, settings = open_store(call.folder)
    base = stores.library.base(BASE)
    pipeline.recover(settings)
    say("ready")
    for step in plan(call.documents)[call.done :]:
        _work(stores, base, step, settings)
        say(step[0])


if __name__ == "__main__":
    main()
