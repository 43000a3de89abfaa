"""Who "she" is after "Who founded it?": the person that the answer names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chains.followup.phrases import BRACKETS
from language import content_terms, detect, sentences, term_set

PERSONAL = frozenset("he his him himself she her hers herself 他 她 他的 她的".split())
_ASKS_WHO = re.compile(r"\bwho(?:m|se)?\b|谁|哪位", re.IGNORECASE)
_CAPITALISED = (
    r"[A-Z][\w.’'-]*\w(?:\s+(?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|al|bin|ibn|of)\s+){0,2}[A-Z][\w.’'-]*\w)*"
)
_BY = re.compile(rf"\bby\s+(?:(?:the\s+)?[a-z]+\s+){{0,3}}({_CAPITALISED})")
_NAME = re.compile(_CAPITALISED)
_BY_CHINESE = re.compile(r"[由被]([^，。；、！？\s]{2,14}?)(?=于|在|所|\d|创|发|设|写|提|建|成|担|负|主)")


def person_in(answer: str, question: str) -> str:
    """The person that the answer to a question for who did something names; "" for another question, and where none is seen.

    The sentence that holds most of the question's own words is read, those in brackets behind it counting less. English: the name
    behind "by", else the first that the question does not have. Chinese: what stands behind 由 or 被, else before the verb.
    """
    if not _ASKS_WHO.search(question):
        return ""
    own, every = content_terms(BRACKETS.sub("", question)).keys(), content_terms(question).keys()

    def held(sentence: str) -> tuple[int, int]:
        terms = term_set(sentence)
        return len(own & terms), len(every & terms)

    told = max((answer[start:end] for start, end in sentences(answer)), key=held, default="")
    if not held(told)[0]:
        return ""
    return _chinese(told, own) if detect(told) == "zh" else _english(told, question)


def _english(told: str, question: str) -> str:
    by = _BY.search(told)
    if by:
        return by[1]
    return next((name for name in _NAME.findall(told) if name.lower() not in question.lower()), "")


def _chinese(told: str, asked: Iterable[str]) -> str:
    by = _BY_CHINESE.search(told)
    if by:
        return by[1]
    for verb in asked:
        before = re.search(rf"([^，。；、！？\s\d的]{{2,10}}?)(?:最早|首先)?{re.escape(verb)}了", told)
        if before:
            return before[1]
    return ""
