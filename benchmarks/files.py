"""Real files: does each give the text, or the error, that its row in files.tsv expects?

`python -m benchmarks.files --files DIR`: DIR holds the files and files.tsv (name, kind, special, expect, …). An `expect` cell
says `TEXT: a || b` (all found, runs of blanks as one), `NOTEXT` (none without OCR; `OCR would give: a, b` with it), `ERROR:
reason`, `NOT: words` (for the reader's eye) and `perhaps text` (a bonus). Kinds that no loader reads yet are "later". Exits 1
when a file fails.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import LoadError
from ingest.loaders import LOADERS, get_loader
from settings.ingest import IngestSettings

MAX_MB = 100


@dataclass(frozen=True)
class Outcome:
    """What a loader gave: the text or the error, and what is worth printing beside it."""

    text: str = ""
    error: str = ""
    note: str = ""
    ocr: bool = False


@dataclass(frozen=True)
class Expectation:
    """The parts of an `expect` cell."""

    texts: tuple[str, ...] = ()
    bonus: tuple[str, ...] = ()
    no_text: bool = False
    error: bool = False

    def missing(self, outcome: Outcome) -> list[str]:
        """What is expected and not there; empty when the file passes."""
        if outcome.error:
            return [] if self.error else [f"unexpected error: {outcome.error}"]
        if self.no_text and not outcome.ocr:
            return [f"text where none is expected: {outcome.text[:60]!r}"] if outcome.text.strip() else []
        if self.error and not self.texts and not outcome.ocr:
            return ["no error"]
        return [f"not found: {text!r}" for text in self.texts if _blanks(text) not in _blanks(outcome.text)]


def parse_expectation(cell: str) -> Expectation:
    """Reads an `expect` cell."""
    bonus = re.findall(r"perhaps ([^;|]+)", cell)
    texts = re.search(r"TEXT: (.*?)(?:; perhaps|\|\| NOT:|$)", cell) if not cell.startswith(("NOTEXT", "ERROR")) else None
    by_ocr = re.search(r"OCR would give: ([^)]+)\)", cell)
    wanted = texts.group(1).split("||") if texts else by_ocr.group(1).split(", ") if by_ocr else []
    return Expectation(
        tuple(map(str.strip, wanted)), tuple(map(str.strip, bonus)), no_text="NOTEXT" in cell, error="ERROR" in cell
    )


def load(path: Path) -> Outcome:
    """Loads one file through the registry."""
    started = time.perf_counter()
    try:
        documents = list(get_loader(path.name, path.read_bytes(), IngestSettings(max_file_mb=MAX_MB)).lazy_load())
    except LoadError as error:
        return Outcome(error=str(error))
    text = "\n\n".join(document.page_content for document in documents)
    metadata = documents[0].metadata
    encoding = f", {metadata['encoding']} ({metadata['encoding_confidence']})" if "encoding" in metadata else ""
    pages = f", {len(documents)} pages" if "page" in metadata else ""
    ocr = any("ocr_confidence" in document.metadata for document in documents)
    note = f"{len(text)} characters{pages}{encoding}{', OCR' if ocr else ''}, {time.perf_counter() - started:.2f} s"
    return Outcome(text, note=note, ocr=ocr)


def main() -> int:
    """Checks every file and prints a line each; 1 when one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, metavar="DIR", help="folder with the files and files.tsv")
    folder = parser.parse_args().files
    if folder is None:
        print("needs files: python -m benchmarks.files --files DIR")
        return 0
    with (folder / "files.tsv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    counts = {"pass": 0, "FAIL": 0, "later": 0}
    for row in rows:
        verdict, note = _check(folder / row["name"], parse_expectation(row["expect"]))
        counts[verdict] += 1
        print(f"{verdict:5} {row['name']:40} {note}")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["FAIL"] else 0


def _check(path: Path, expected: Expectation) -> tuple[str, str]:
    outcome = load(path)
    if path.suffix.lower() not in LOADERS:
        return "later", outcome.error.partition(". ")[0] or outcome.note
    missing = expected.missing(outcome)
    bonus = [f"bonus {text!r}: {'got' if _blanks(text) in _blanks(outcome.text) else 'not got'}" for text in expected.bonus]
    return ("FAIL" if missing else "pass"), "; ".join([*missing, *bonus, outcome.error or outcome.note])


def _blanks(text: str) -> str:
    """The text on one line, without the marks of headings."""
    return " ".join(re.sub(r"^#{1,6} ", "", text, flags=re.MULTILINE).split())


if __name__ == "__main__":
    sys.exit(main())
