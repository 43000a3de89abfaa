"""The ledger: what every stage did to every candidate. Ranks, scores, times, what was dropped and why.

LangChain's retrievers pass a question and a callback manager to each other, and nothing else; so the ledger of a question
travels in a context variable, which LangChain itself carries into threads and tasks. A layer that is used on its own, without
`recording`, writes into a ledger that nobody reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from langchain_core.documents import Document


class Mark(NamedTuple):
    """What a stage gave a candidate: its rank there, from 1, and its score."""

    rank: int
    score: float


@dataclass
class Stage:
    """What a stage did: out = taken_in + added - dropped - merged.

    `query` is the number of the query it worked for, from 0; `base` the name of the base, when several are asked.
    """

    name: str
    query: int = 0
    base: str = ""
    ms: float = 0.0
    taken_in: int = 0
    added: int = 0
    dropped: int = 0
    merged: int = 0

    @property
    def out(self) -> int:
        """How many candidates left the stage."""
        return self.taken_in + self.added - self.dropped - self.merged


class Drop(NamedTuple):
    """A candidate that went no further, and why."""

    chunk_id: str
    source: str
    stage: str
    reason: str
    page: int | None = None
    heading: str | None = None
    base: str = ""
    other: str = ""
    """The id of the passage that it gives way to, if the reason is another passage."""
    scores: Mapping[str, Mark] = MappingProxyType({})
    """Its rank and score in each stage until then."""


class Merge(NamedTuple):
    """A candidate that went on as a part of another one, `into`, whose span holds what was found of it."""

    chunk_id: str
    stage: str
    into: str


@dataclass(frozen=True)
class Note:
    """Something that a person should know of how the question was handled: a code with values, said in words by the page."""

    code: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass
class Ledger:
    """The account of one question."""

    stages: list[Stage] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    base_weights: dict[str, dict[str, float]] = field(default_factory=dict)
    """Of several bases, the weights of the legs in each, and under "bases" how much its list counted; `weights` are those of the
    one that counted most."""
    evidence: float = 0.0
    queries: list[Any] = field(default_factory=list)
    """What was searched for beside the question (retrievers/queries)."""

    @contextmanager
    def asking(self, number: int) -> Iterator[None]:
        """Inside, the stages are those of the query with this number."""
        token = _query.set(number)
        try:
            yield
        finally:
            _query.reset(token)

    @contextmanager
    def stage(self, name: str, *, taken_in: int = 0) -> Iterator[Stage]:
        """Enter a stage; its time is taken."""
        stage = Stage(name, query=_query.get(), taken_in=taken_in)
        self.stages.append(stage)
        begin = time.perf_counter()
        try:
            yield stage
        finally:
            stage.ms = (time.perf_counter() - begin) * 1000

    def drop(self, stage: Stage, documents: Iterable[Document], reason: str) -> None:
        """Write down candidates that go no further than this stage."""
        gone = [_dropped(str(document.id), document.metadata.get, stage.name, reason) for document in documents]
        stage.dropped += len(gone)
        self.drops.extend(gone)

    def merge(self, stage: Stage, document: Document, into: Document) -> None:
        """Write down a candidate that goes on as a part of another one."""
        stage.merged += 1
        self.merges.append(Merge(str(document.id), stage.name, str(into.id)))

    def carrier_of(self, chunk_id: str) -> str:
        """The id of the passage that a chunk went on in: its own, or that of the one which took it in, and so on."""
        for merge in self.merges:  # in the order of the stages
            if merge.chunk_id == chunk_id:
                chunk_id = merge.into
        return chunk_id

    def absorb(self, other: Ledger) -> None:
        """Take over what was written elsewhere, such as in a thread: after what stands here, in its own order."""
        self.stages += other.stages
        self.drops += other.drops
        self.merges += other.merges
        for note in other.notes:
            self.note(note.code, **note.params)
        self.weights |= other.weights
        self.base_weights |= other.base_weights
        self.evidence = max(self.evidence, other.evidence)
        self.queries += other.queries

    def note(self, code: str, **params: Any) -> None:
        """Say something once."""
        note = Note(code, params)
        if note not in self.notes:
            self.notes.append(note)


def _dropped(chunk_id: str, known: Callable[..., Any], stage: str, reason: str) -> Drop:
    source, page, heading, base = known("source", ""), known("page"), known("heading"), known("base", "")
    return Drop(chunk_id, str(source), stage, reason, page, heading, base, str(known("repeats", "")), known("scores", {}))


_current: ContextVar[Ledger | None] = ContextVar("ledger", default=None)
_query: ContextVar[int] = ContextVar("query", default=0)


@contextmanager
def recording(ledger: Ledger | None = None) -> Iterator[Ledger]:
    """A ledger, a new one if none is given, which the layers called inside the block write into."""
    ledger = Ledger() if ledger is None else ledger
    token = _current.set(ledger)
    try:
        yield ledger
    finally:
        _current.reset(token)


def current() -> Ledger:
    """The ledger of the question at hand."""
    return _current.get() or Ledger()


def mark(documents: Sequence[Document], stage: str, scores: Sequence[float]) -> None:
    """Write rank and score of a stage into each document's metadata["scores"]; the documents are in order of rank."""
    for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1):
        known = document.metadata
        if "scores" not in known:
            known["scores"] = {}
        known["scores"][stage] = Mark(rank, float(score))


def score_of(document: Document, stage: str) -> float | None:
    """The score that a stage gave the document, if it did."""
    found = document.metadata.get("scores", {}).get(stage)
    return found.score if found else None
