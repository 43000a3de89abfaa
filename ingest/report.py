"""What the pipeline says: how far a file is, and what became of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from ingest.errors import LoadError
from models import ModelError
from store.errors import StoreError

Stage = Literal["load", "chunk", "embed", "store"]
Outcome = Literal[
    "indexed", "unchanged", "replaced", "duplicate", "empty", "failed", "skipped", "cancelled", "deleted", "renamed"
]


@dataclass(frozen=True)
class Progress:
    """How far a file is: `done` of `total` segments in stage `embed`, 0 or 1 of 1 in the others.

    `rate` is segments a second; `seconds_left` are those of the stage. Both are None until enough was done to tell.
    """

    stage: Stage
    done: int
    total: int
    rate: float | None = None
    seconds_left: float | None = None


@dataclass(frozen=True)
class FileReport:
    """What became of a file. `chunks` were made, by `chunker`; `chunks_stored` are in the base; `seconds` by stage.

    `type` is what it was read as, a suffix such as "pdf"; `markdown` says that its text is.

    `garbled` is the share of the text that is no language (0 to 1); `skipped` are [name, reason] of parts of an archive without
    text, and `skipped_why` the {"code", "params"} of each; each of `warnings` has a `reason`, a `code` and `params` as the report
    itself.

    `reason` is in English; `code` and `params` say the same for the page. Reports that were stored before there were codes have
    none. `written` counts what a model wrote for the chunks (ingest/enrich), by kind. What stands from `figures_from` on in the
    document's text, a model wrote about its pictures.
    """

    source: str
    status: Outcome
    reason: str = ""
    code: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    doc_id: str | None = None
    type: str | None = None
    markdown: bool = False
    pages: int | None = None
    pages_without_text: int = 0
    encoding: str | None = None
    encoding_confidence: float | None = None
    language: str | None = None
    title: str | None = None
    author: str | None = None
    created: str | None = None
    keywords: list[str] = field(default_factory=list)
    garbled: float = 0.0
    ocr_pages: int = 0
    ocr_confidence: float | None = None
    skipped: list[list[str]] = field(default_factory=list)
    skipped_why: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    chunker: str | None = None
    chars: int = 0
    chunks: int = 0
    chunks_stored: int = 0
    written: dict[str, int] = field(default_factory=dict)
    figures_from: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return vars(self) | {"seconds": {stage: round(value, 3) for stage, value in self.seconds.items()}}


def failed(source: str, error: LoadError | ModelError | StoreError, *, more: str = "") -> FileReport:
    """The report of a file that `error` stopped; `more` is said after it, in English."""
    params = {"message": str(error)} if isinstance(error, ModelError) else error.params
    return FileReport(source, "failed", f"{error} {more}".strip(), error.code, params)


class Clock:
    """Seconds by stage; a stage may be entered several times."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(("load", "chunk", "embed", "store"), 0.0)
        self._stage, self._since = "", float("nan")

    def __call__(self, stage: Stage) -> Clock:
        """Enter this stage."""
        self._stage = stage
        return self

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds = self.so_far()

    def so_far(self) -> dict[str, float]:
        """The seconds with those of the stage that is under way."""
        return self.seconds | {self._stage: self.seconds[self._stage] + time.perf_counter() - self._since}
