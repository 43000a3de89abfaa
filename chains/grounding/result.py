"""How far an answer is grounded: each of its sentences with what supports it, or with what it says that no passage does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from chains.grounding.statements import Statement
from language import width

Status = Literal["supported", "unsupported", "unchecked", "aside"]
"""An aside says that the documents do not tell something: honest, and nothing that they could support."""
_CHECKED = ("supported", "unsupported")
_HEAVIEST = 300
"""A longer sentence weighs no more than one of this width."""


@dataclass(frozen=True)
class Link:
    """A place of context `n` that supports a sentence; `start` and `end` count in the document, as the context's do."""

    n: int
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True)
class Miss:
    """What a sentence says and no supporting passage does: a number, date, time, code or name, or what a passage denies.

    `instead` is what stands there.
    """

    kind: str
    text: str
    instead: str = ""


@dataclass(frozen=True)
class Grounded:
    """A sentence `start:end` of the answer. `elsewhere`: it is supported, but by no passage that it cites.

    `score` is the cosine of the best segment + 0.2 x the share of the sentence's terms that its links hold, as evidence is.
    """

    start: int
    end: int
    status: Status
    score: float = 0.0
    misses: tuple[Miss, ...] = ()
    links: tuple[Link, ...] = ()
    elsewhere: bool = False
    weight: float = 0.0

    @classmethod
    def unchecked(cls, statement: Statement) -> Grounded:
        """A sentence that says nothing to check."""
        return cls(statement.start, statement.end, "aside" if statement.aside else "unchecked")

    def judged(self, supported: bool) -> Grounded:
        """The same after a judge has read it; what it says and no passage does stays unsupported."""
        return replace(self, status="supported" if supported and not self.misses else "unsupported")

    def as_json(self) -> dict[str, Any]:
        """The sentence as JSON values."""
        return {
            "start": self.start,
            "end": self.end,
            "status": self.status,
            "score": round(self.score, 4),
            "misses": [vars(miss) for miss in self.misses],
            "links": [vars(link) for link in self.links],
            "elsewhere": self.elsewhere,
        }


@dataclass(frozen=True)
class Grounding:
    """All sentences of an answer; `judged` where a model has read them too."""

    sentences: tuple[Grounded, ...]
    judged: bool = False

    @property
    def score(self) -> float | None:
        """The share of supported sentences, 0 to 1, weighted by their width; None when there is none to check."""
        checked = [each for each in self.sentences if each.status in _CHECKED]
        total = sum(each.weight for each in checked)
        return sum(each.weight for each in checked if each.status == "supported") / total if total else None

    @property
    def only_asides(self) -> bool:
        """Whether the answer says nothing but that the documents do not tell."""
        told = [each.status for each in self.sentences if each.status != "unchecked"]
        return bool(told) and set(told) == {"aside"}

    def as_json(self) -> dict[str, Any]:
        """The grounding as JSON values."""
        score = self.score
        return {
            "score": None if score is None else round(score, 4),
            "judged": self.judged,
            "sentences": [each.as_json() for each in self.sentences],
        }


def weight(text: str) -> float:
    """How much a sentence counts."""
    return min(_HEAVIEST, max(1.0, width(text)))
