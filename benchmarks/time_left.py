"""Whether the time left that a person is told comes true: one large text with the real embedder, told against what followed.

A figure counts as true when it is at most a quarter off what the stage still took, or at most two seconds. `--text FILE` takes a
text as people have it; the synthetic one changes from English to Chinese on the way.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from benchmarks.indexing import synthetic
from ingest.pipeline import Pipeline
from ingest.report import FileReport
from models.embeddings import LocalEmbeddings
from settings import load_settings
from store.database import connect
from store.library import Library
from store.stores import Stores

TOLERANCE, LEAST_SECONDS = 0.25, 2.0
_CHINESE = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说"


def main() -> None:
    """Index the text and print how true each told figure was."""
    call = _parser().parse_args()
    text = (call.text.read_text(encoding="utf-8") if call.text else _mixed(call.kb * 1024))[: call.kb * 1024]
    print(f"{len(text):,} characters, {len(text.encode()) / 2**20:.1f} MB")
    told, ended = _index(text)
    print(f"done after {ended:.0f} s; told {len(told)} times, first after {told[0].at:.1f} s")
    for first in range(0, len(told), max(1, len(told) // 20)):
        print(f"  {told[first].against(ended)}")
    true = [each.true(ended) for each in told]
    shares = [each.share_error(ended) for each in told]
    print(f"time left true: {sum(true)} of {len(true)} figures; progress at most {max(shares):.0%} of the stage off")


@dataclass(frozen=True)
class Told:
    """What was said `at` so many seconds after the stage began: `left` seconds, and the share that is `done`."""

    at: float
    left: float
    done: float

    def true(self, ended: float) -> bool:
        """Whether the seconds left came true."""
        real = ended - self.at
        return abs(self.left - real) <= max(TOLERANCE * real, LEAST_SECONDS)

    def share_error(self, ended: float) -> float:
        """How far the share done is from the share of the time that was gone."""
        return abs(self.done - self.at / ended)

    def against(self, ended: float) -> str:
        """One line for people."""
        verdict = "" if self.true(ended) else "   not true"
        return (
            f"after {self.at:5.0f} s: {self.done:4.0%} done, {self.at / ended:4.0%} of the time; "
            f"{self.left:5.0f} s said, {ended - self.at:5.0f} s came{verdict}"
        )


def _index(text: str) -> tuple[list[Told], float]:
    """What was told while the text was embedded, and how many seconds that took."""
    told, began, ended = list[Told](), 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"store.dir": folder}, env={})
        library = Library(connect(Path(folder)), folder=Path(folder))
        pipeline = Pipeline(Stores(library, LocalEmbeddings(), settings))
        for event in pipeline.add(library.ensure_base("text"), "large.txt", text.encode(), settings):
            if isinstance(event, FileReport):
                assert event.status == "indexed", event.reason
                print(", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in event.seconds.items()), f"{event.chunks} chunks")
            elif event.stage == "embed":
                began = began or time.monotonic()
                if event.seconds_left is not None:
                    told.append(Told(time.monotonic() - began, event.seconds_left, event.done / event.total))
            elif event.stage == "store":  # its last texts are embedded
                ended = time.monotonic()
        pipeline.close()
    return told, ended - began


def _mixed(size: int) -> str:
    """Half English, half Chinese, by turns of 100 KB."""
    draw, parts = random.Random(1), list[str]()
    english = synthetic(size)
    for turn in cycle((True, False)):
        if sum(map(len, parts)) >= size:
            return "".join(parts)
        at = len(parts) * 50_000 % size
        parts.append(english[at : at + 100_000] + "\n\n" if turn else _chinese(draw, 33_000))
    raise AssertionError("the turns never end")


def _chinese(draw: random.Random, size: int) -> str:
    sentences = ("".join(draw.choices(_CHINESE, k=draw.randint(5, 40))) + "。" for _ in range(size // 22))
    return "".join(f"{sentence}\n\n" if number % 6 == 5 else sentence for number, sentence in enumerate(sentences))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.time_left", description=__doc__)
    parser.add_argument("--text", type=Path, metavar="FILE", help="text to index (default: synthetic)")
    parser.add_argument("--kb", type=int, default=2048, help="how much of it, in thousands of characters (default: 2048)")
    return parser


if __name__ == "__main__":
    main()
