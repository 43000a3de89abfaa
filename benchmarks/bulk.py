"""Many small documents and one large text: how fast, how steadily, in how much memory, with a stand-in for the embedder.

`python -m benchmarks.bulk` adds 10,000 documents, adds 1,000 of them again unchanged, then one text of 50 MB. What the processor
spent on a document tells whether the rate is steady on a machine that others use too.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks._standin import HashedEmbeddings
from ingest.consistency import check
from ingest.pipeline import Pipeline
from ingest.report import FileReport
from ingest.sandbox.limits import resident_mb
from settings import Settings, load_settings
from settings.process import few_heaps
from store.database import connect
from store.library import Base, Library
from store.stores import Stores

BASE, PARTS = "bulk", 10
_WORDS = "index query vector refund window shipping receipt order customer policy 退款 期限 订单 检索 文档 片段 收据".split()


def main() -> None:
    """Print the figures as they come."""
    call = _parser().parse_args()
    few_heaps()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"store.dir": folder}, env={})
        stores = Stores(Library(connect(Path(folder)), folder=Path(folder)), HashedEmbeddings(), settings)
        base, pipeline = stores.library.ensure_base(BASE), Pipeline(stores)
        if call.documents:
            _many(pipeline, base, settings, call.documents)
            _unchanged(pipeline, base, min(1000, call.documents))
        if call.mb:
            _large(pipeline, base, settings, call.mb)
        began = time.perf_counter()
        problems = check(stores, base)
        print(f"check: {len(problems)} problems, {time.perf_counter() - began:.1f} s")
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 2**20
        print(f"{stores.open(base).count():,} chunks, {size:,.0f} MB on disk")
        pipeline.close()


def _many(pipeline: Pipeline, base: Base, settings: Settings, count: int) -> None:
    with _memory(pipeline) as peak:
        rates, cost, part = list[float](), list[float](), max(1, count // PARTS)
        since = time.perf_counter(), time.process_time()
        for number in range(count):
            _must(pipeline.run(base, f"{number}.md", _document(number), settings))
            if (number + 1) % part == 0:
                now = time.perf_counter(), time.process_time()
                rates.append(part / (now[0] - since[0]))
                cost.append(1000 * (now[1] - since[1]) / part)
                since = now
        began = time.perf_counter()
        pipeline.finish(base)
    told = " ".join(f"{rate:.0f}" for rate in rates)
    print(f"{count:,} documents, a second by tenths: {told}; last/first {rates[-1] / rates[0]:.2f}")
    print(f"  processor, ms a document: {' '.join(f'{each:.0f}' for each in cost)}; last/first {cost[-1] / cost[0]:.2f}")
    print(f"  then optimize {time.perf_counter() - began:.1f} s; peak memory {peak[0]:,.0f} MB, of the reader {peak[1]:,.0f} MB")
    sys.stdout.flush()


def _unchanged(pipeline: Pipeline, base: Base, count: int) -> None:
    began, known = time.perf_counter(), pipeline.known(base)
    there = sum(known.unchanged(f"{number}.md", _document(number)) is not None for number in range(count))
    print(f"{there:,} unchanged of {count:,}: {time.perf_counter() - began:.2f} s")


def _large(pipeline: Pipeline, base: Base, settings: Settings, mb: int) -> None:
    data = "\n\n".join(_paragraph(n) for n in range(mb * 2**20 // 600)).encode()[: mb * 2**20]
    with _memory(pipeline) as peak:
        began, stages = time.perf_counter(), {}
        for event in pipeline.add(base, "large.txt", data, settings):
            if isinstance(event, FileReport):
                stages = _must(event).seconds
                chunks = event.chunks
    told = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in stages.items())
    print(f"{len(data) / 2**20:.0f} MB of text: {time.perf_counter() - began:.1f} s ({told}), {chunks:,} chunks")
    print(f"  peak memory {peak[0]:,.0f} MB, of the reader {peak[1]:,.0f} MB")
    sys.stdout.flush()


@contextmanager
def _memory(pipeline: Pipeline) -> Iterator[list[float]]:
    """The largest memory in use meanwhile, in MB: of this process, and of the one that reads."""
    peak, over = [0.0, 0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak[0] = max(peak[0], resident_mb(os.getpid()))
            peak[1] = max(peak[1], resident_mb(pipeline.sandbox.pid or 0))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def _document(number: int) -> bytes:
    return f"# Document {number}\n\n{_paragraph(number)}\n\n{_paragraph(-number - 1)}\n".encode()


def _paragraph(number: int) -> str:
    draw = random.Random(number)
    return " ".join(f"{' '.join(draw.choices(_WORDS, k=12))} {number}." for _ in range(8))


def _must(report: FileReport) -> FileReport:
    if report.status != "indexed":
        raise SystemExit(f"{report.source}: {report.status} {report.reason}")
    return report


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--mb", type=int, default=50, help="size of the large text")
    return parser


if __name__ == "__main__":
    main()
