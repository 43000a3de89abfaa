"""What a conversation is about over several questions: its topic stays while questions ask something beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chains.followup.phrases import Phrase
from language import detect

_DEFINITE = re.compile(r"\b(?:the|this|that|these|those)\s+$", re.IGNORECASE)
_INDEFINITE = re.compile(r"\b(?:an?|any|some|my|our|your)\s+$", re.IGNORECASE)
_OF_WHO_ASKS = re.compile(r"^\W*(?:is|are|was|were)\s+there\b|\b(?:I|we|you|one|my|our)\b", re.IGNORECASE)
_THE_OTHER = re.compile(
    r"(?:\b(?:and|but|or|what\s+about|how\s+about|for|in|at|of)\s+)*\s*(?:the\s+)?other(?:\s+one)?|(?:那么?|而)?另外?一[个家款座本种项位]?(?:呢)?",
    re.IGNORECASE,
)


def asks_beside(question: str, every: Sequence[Phrase]) -> bool:
    """Whether a question that leans on nothing and has no names may still be one about the topic, and so begins no new one.

    "How much is a ticket?", "Can I bring my dog?", 门票多少钱？ name nothing that they could be about alone; "Who discovered
    radium?", "What does the red mug cost?" and 公司的年假有几天？ do.
    """
    if detect(question) == "zh":
        return not any(question[first.end : second.start] == "的" for first, second in pairwise(every))
    if any(_DEFINITE.search(question[: each.start]) for each in every):
        return False
    first = every[0] if every else None
    return bool(_OF_WHO_ASKS.search(question)) or bool(first and _INDEFINITE.search(question[: first.start]))


def things_beside(question: str, every: Sequence[Phrase]) -> tuple[str, ...]:
    """The things that such a question speaks of, for which a later "it" may stand as well: a ticket, my dog."""
    if detect(question) == "zh":
        return tuple(each.text for each in every)
    return tuple(each.text for each in every if _INDEFINITE.search(question[: each.start]))


def asks_the_other(question: str) -> bool:
    """Whether it asks the same of the topic before this one: "And the other one?", 另一个呢？"""
    return bool(_THE_OTHER.fullmatch(question.strip(" ,.?!，。？！")))


def exchanged(question: str, old: Sequence[str], new: Sequence[str]) -> str | None:
    """The question with one topic in place of the other; None where it does not name it."""
    there = next((name for name in old if name in question), None)
    return question.replace(there, new[0]) if there and new else None
