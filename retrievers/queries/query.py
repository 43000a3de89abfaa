"""A query: what is searched for on behalf of a question, by which legs, and how much its list counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from language import detect

Kind = Literal[
    "original", "paraphrase", "translation", "hyde", "part", "step_back", "keywords", "feedback", "abbreviation", "rewriting"
]  # fmt: skip

WEIGHTS: dict[Kind, float] = {
    "original": 1.0,
    "part": 0.8,  # the only query that asks for its half of the question
    "paraphrase": 0.5,
    "translation": 0.5,
    "hyde": 0.5,
    "abbreviation": 0.5,
    "rewriting": 0.5,  # of a follow-up, in words of which none were spoken
    "keywords": 0.3,  # asks less than the question
    "feedback": 0.3,  # drifts when the first hits are wrong
    "step_back": 0.3,  # asks something else on purpose
}
"""How much a query's list counts beside the question's, before `balanced`."""
OTHERS = 1.0
"""What all queries but the question and its parts weigh together at most: as much as the question.

So eight paraphrases of a misunderstanding cannot outvote it. A half is the usual share of the original query in RM3 (Abdul-Jaleel
et al., UMass at TREC 2004; Anserini's default `original_query_weight`).
"""


@dataclass(frozen=True)
class Query:
    """One text to search for; `legs` are the names of those that it is for, () all of them."""

    text: str
    kind: Kind = "original"
    legs: tuple[str, ...] = ()
    weight: float = 1.0


def make(kind: Kind, texts: Iterable[str], *, legs: tuple[str, ...] = ()) -> list[Query]:
    """Queries of a kind, with its weight; blank texts are none."""
    return [Query(text.strip(), kind, legs, WEIGHTS[kind]) for text in texts if text.strip()]


def distinct(question: str, queries: Iterable[Query]) -> list[Query]:
    """The queries without those that say the same, letter for letter but for case, blanks and final signs, as one before or as
    the question, for no other legs.
    """
    asked: dict[str, set[str] | None] = {_plain(question): None}
    kept = []
    for query in queries:
        text = _plain(query.text)
        before = asked.get(text, set())
        if not text or before is None or (query.legs and set(query.legs) <= before):
            continue
        asked[text] = before | set(query.legs) if query.legs else None
        kept.append(query)
    return kept


def fits_language(text: str, question: str) -> bool:
    """Whether a text is in the question's language, or a name that stands in it, such as Python in a Chinese question."""
    return detect(text) == detect(question) or text.casefold() in question.casefold()


def balanced(queries: Sequence[Query]) -> list[Query]:
    """The queries with weights such that those that are no parts weigh `OTHERS` together at most."""
    total = sum(query.weight for query in queries if query.kind != "part")
    scale = min(1.0, OTHERS / total) if total else 1.0
    return [query if query.kind == "part" else replace(query, weight=query.weight * scale) for query in queries]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" ?!.,;:？！。，；：\"'“”")
