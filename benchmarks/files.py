"""Real files: does each give the text, or the error, that its row in files.tsv expects?

`python -m benchmarks.files --files DIR [--no-ocr]`: DIR holds the files and files.tsv (name, kind, special, expect, …). Each is
read as an upload is, in the process that reads files. An `expect` cell says:

    TEXT: a || b              the text holds all of these, runs of blanks as one; (words in brackets) stand for any text,
                              "all letters A to J" for the letters
    NOTEXT (OCR would give: a, b)   without OCR there is no text; with it there is this
    ERROR: reason             an error; with "encrypted" in it, one that asks for the password; with "or its parts", text will do
    ERROR or NOTEXT           either
    NOT: words                for the reader's eye: what should not be in the text
    perhaps words             a bonus: told, never a failure

Prints a line for each file. Exits 1 when one fails.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ingest.document import LoadedDocument
from ingest.errors import EncryptedFile, LoadError
from ingest.sandbox import Sandbox
from settings.ingest import IngestSettings, OcrSettings


@dataclass(frozen=True)
class Outcome:
    """What became of a file: its document or its error, and after how many seconds."""

    document: LoadedDocument | None
    error: LoadError | None
    seconds: float

    @property
    def text(self) -> str:
        """The text, "" for an error."""
        return self.document.text if self.document else ""

    def __str__(self) -> str:
        """What is worth printing."""
        if self.document is None:
            return f"{self.error}, {self.seconds:.2f} s"
        document = self.document
        told = [f"{len(document.text)} characters"]
        told += [f"{len(document.pages)} pages"] if document.pages else []
        told += [f"{len(document.rows)} rows"] if document.rows else []
        told += [f"{document.encoding} ({document.encoding_confidence})"] if document.encoding else []
        told += [f"OCR of {document.ocr_pages}"] if document.ocr_pages else []
        told += [f"skipped {name}: {reason.partition('. ')[0]}" for name, reason in document.skipped]
        return ", ".join([*told, f"{self.seconds:.2f} s"])


@dataclass(frozen=True)
class Expectation:
    """The parts of an `expect` cell. `texts` of a file without a text layer are those that OCR gives."""

    texts: tuple[str, ...] = ()
    bonus: tuple[str, ...] = ()
    any_text: bool = False
    no_text: bool = False
    error: bool = False
    encrypted: bool = False

    def missing(self, outcome: Outcome, *, ocr: bool) -> list[str]:
        """What is expected and not there; empty when the file passes."""
        if outcome.error:
            if not self.error:
                return ["unexpected error"]
            return ["an error that does not ask for the password"] if self._wrong_error(outcome.error) else []
        if self.no_text and not (ocr and self._needs_ocr(outcome)):
            return [f"text where none is expected: {outcome.text[:60]!r}"] if outcome.text.strip() else []
        if self.error and not (self.any_text or self.no_text):
            return ["no error"]
        if self.any_text and not outcome.text.strip():
            return ["no text"]
        return [f"not found: {text!r}" for text in self.texts if _blanks(text) not in _blanks(outcome.text)]

    def _wrong_error(self, error: LoadError) -> bool:
        return self.encrypted and not isinstance(error, EncryptedFile)

    def _needs_ocr(self, outcome: Outcome) -> bool:
        return bool(self.texts) or bool(outcome.document and outcome.document.ocr_pages)


def parse_expectation(cell: str) -> Expectation:
    """Reads an `expect` cell."""
    bonus = re.findall(r"perhaps ([^;|]+)", cell)
    texts = re.search(r"TEXT: (.*?)(?:; perhaps|\|\| NOT:|$)", cell) if not cell.startswith(("NOTEXT", "ERROR")) else None
    by_ocr = re.search(r"OCR would give: ([^)]+)\)", cell)
    wanted = texts.group(1).split("||") if texts else by_ocr.group(1).split(", ") if by_ocr else []
    letters = re.search(r"all letters ([A-Z]) to ([A-Z])", cell)
    if letters:
        wanted = [chr(code) for code in range(ord(letters[1]), ord(letters[2]) + 1)]
    stripped = [text.strip() for text in wanted]
    return Expectation(
        tuple(text for text in stripped if not text.startswith("(")),
        tuple(map(str.strip, bonus)),
        any_text=any(text.startswith("(") for text in stripped) or "or its parts" in cell,
        no_text="NOTEXT" in cell,
        error="ERROR" in cell,
        encrypted="encrypted" in cell and "ERROR" in cell,
    )


def load(sandbox: Sandbox, path: Path, settings: IngestSettings) -> Outcome:
    """Reads one file as an upload is read."""
    started = time.perf_counter()
    document, failure = None, None
    try:
        document = sandbox.read(path.name, path.read_bytes(), settings)
    except LoadError as error:
        failure = error
    return Outcome(document, failure, time.perf_counter() - started)


def main() -> int:
    """Checks every file and prints a line each; 1 when one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, metavar="DIR", help="folder with the files and files.tsv")
    parser.add_argument("--no-ocr", action="store_true", help="leave out OCR, as ingest.ocr.enabled=false does")
    parser.add_argument("--only", default="", metavar="PART", help="only files with this in their names")
    given = parser.parse_args()
    if given.files is None:
        print("needs files: python -m benchmarks.files --files DIR")
        return 0
    settings = IngestSettings(ocr=OcrSettings(enabled=not given.no_ocr))
    with (given.files / "files.tsv").open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE) if given.only in row["name"]]
    counts = {"pass": 0, "FAIL": 0}
    with closing(Sandbox()) as sandbox:
        for row in rows:
            outcome = load(sandbox, given.files / row["name"], settings)
            verdict, note = _verdict(outcome, parse_expectation(row["expect"]), ocr=not given.no_ocr)
            counts[verdict] += 1
            print(f"{verdict:5} {row['name']:40} {note}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["FAIL"] else 0


def _verdict(outcome: Outcome, expected: Expectation, *, ocr: bool) -> tuple[str, str]:
    missing = expected.missing(outcome, ocr=ocr)
    bonus = [f"bonus {text!r}: {'got' if _blanks(text) in _blanks(outcome.text) else 'not got'}" for text in expected.bonus]
    return ("FAIL" if missing else "pass"), "; ".join([*missing, *bonus, str(outcome)])


def _blanks(text: str) -> str:
    """The text on one line, without the marks of headings."""
    return " ".join(re.sub(r"^#{1,6} ", "", text, flags=re.MULTILINE).split())


if __name__ == "__main__":
    sys.exit(main())
