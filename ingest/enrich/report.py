"""What enrichment says: how far it is, and what became of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ingest.enrich.asker import Answer

Status = Literal["enriched", "unchanged", "left", "failed", "skipped"]


@dataclass(frozen=True)
class Enriching:
    """How far a document is: `done` of `total` calls that it needs."""

    source: str
    done: int
    total: int


@dataclass(frozen=True)
class Enriched:
    """What became of a document. `written` counts the rows that are indexed for it, by kind.

    `left`: the run ended before all was asked for it; `failed`: some calls failed, which `failures` names, each with its kind,
    the numbers of its chunks, the reason and its code. `tags` are those that the document got. In every case the document itself
    is searchable as before.
    """

    source: str
    doc_id: str
    status: Status
    reason: str = ""
    written: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    left: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return dict(vars(self))


def failures_of(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """The calls that failed, as JSON values."""
    return [
        {
            "kind": answer.ask.kind,
            "chunks": [unit.index for unit in answer.ask.units],
            "reason": str(answer.error),
            "code": answer.error.code,
            "params": {"message": str(answer.error)},
        }
        for answer in answers
        if answer.error is not None
    ]


def failure_of(kind: str, reason: str, code: str | None, params: Mapping[str, Any]) -> dict[str, Any]:
    """That a file could not be read or indexed for a kind, as JSON values."""
    return {"kind": kind, "chunks": [], "reason": reason, "code": code, "params": params}
