"""Whether a sentence denies what a source sentence in the same words says, or says what that denies.

A negation has a scope: the few words behind it in its clause ("not waterproof", 不需要加油). Both sentences agree on a scope when
the other one denies any word of it too, be it in other words: "needs no oil", "does not need oil". Only a sentence whose words
stand in the source sentence is held to it, as in other words "not" may be said by an opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from language import content_terms, detect, folded, only_stop_words

SAME_WORDS = 0.8
"""Share of a sentence's terms, negations aside, that a source sentence must hold to be compared."""
LEAST_TERMS = 2
REACH = 4
"""Terms that a negation denies at most."""

_ENGLISH = re.compile(
    r"\bnot\s+without\b|\b(?:no|not)\s+(?:more|less|fewer|later|earlier|sooner|greater|older|younger|larger|smaller|doubt|matter)\b"
    r"|\b(?:no\.\s*(?=\d)|not\s+(?:only|just|merely|simply)|whether\s+or\s+not)|(?P<no>\b(?:not|cannot|no|never|none|neither|nor"
    r"|without|rather\s+than|instead\s+of)\b|\w*n['’]t\b)",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"不得不|[不没未无莫][能可会会]?不|不[仅但只光单论管同断久过少如然止妨良足满安幸易利时锈]|不可避|不[得能可会]?(?:超过|多于|少于|低于|高于|大于|小于|晚于|早于)"
    r"|不到|差不多|[是能会要可有好][不没][是能会要可有好]|对不起|了不起|未来|未必|[淹沉埋]没|没[收落顶药]"
    r"|(?P<no>没有?|不[是要会能]?|并非|而非|绝非|[尚从]?未曾?|无[法需须权]|禁止)"
)
_UNTIL = re.compile(r"\b(?:until|till|unless)\b|\bbefore\s+\w|才", re.IGNORECASE)
"""What did not happen until then happened then."""
_CLAUSE_END = re.compile(r"[,;:!?，。；：！？、\n]|\.(?=\s|$)|\b(?:but|and)\b", re.IGNORECASE)
_PARTICLES = re.compile("可以|能够|可能|已经|还[有没]?|[能会是的了也都曾被过着]")
"""What comes and goes with a negation without a change of what is said."""


class _Scope(NamedTuple):
    """What one negation denies, by its terms and its place in the text."""

    terms: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class _Said:
    """A sentence by what it says and what it denies."""

    text: str
    affirmed: frozenset[str]
    scopes: tuple[_Scope, ...]

    @cached_property
    def denied(self) -> frozenset[str]:
        return frozenset(term for scope in self.scopes for term in scope.terms)

    @cached_property
    def terms(self) -> frozenset[str]:
        return self.affirmed | self.denied


def contradiction(statement: str, sources: Sequence[str]) -> tuple[str, str] | None:
    """What the statement denies or says, and what a source says instead; None where one agrees, or none is in the same words."""
    said, found = _said(statement), None
    if len(said.terms) < LEAST_TERMS:
        return None
    for source in sources:
        other = _said(source)
        if len(said.terms & other.terms) < SAME_WORDS * len(said.terms):
            continue
        against = _against(said, other)
        if against is None:
            return None
        found = found or against
    return found


def _against(said: _Said, other: _Said) -> tuple[str, str] | None:
    for scope in said.scopes:
        if _is_affirmed(scope, other):
            return said.text[scope.start : scope.end], other.text
    for scope in other.scopes:
        if _is_affirmed(scope, said) and scope.terms[0] not in other.affirmed:
            return said.text, other.text[scope.start : scope.end]
    return None


def _is_affirmed(scope: _Scope, other: _Said) -> bool:
    """Whether the other sentence says what the scope denies, and denies none of it."""
    if set(scope.terms) & other.denied:
        return False
    held = [term in other.affirmed for term in scope.terms]
    return held[0] or (detect(scope.terms[0]) == "zh" and 3 * sum(held) >= 2 * len(held))


@lru_cache(maxsize=1024)
def _said(text: str) -> _Said:
    """Kept, since each sentence of an answer is held against the same source sentences."""
    text = " ".join(text.split())
    plain = folded(text)
    affirmed: set[str] = set()
    scopes: list[_Scope] = []
    for start, end in _clauses(plain):
        negations = _negations(plain, start, end)
        borders = [*(match.start() for match in negations), end]
        affirmed |= set(_terms(plain[start : borders[0]]))
        for match in negations:
            terms = _terms(plain[match.end() : end])
            affirmed |= set(terms[REACH:])
            if terms:
                scopes.append(_Scope(tuple(terms[:REACH]), match.start(), end))
        if negations:  # a pair of signs is one across a negation too
            affirmed |= set(_across(plain, negations[0], start, end))
    return _Said(text, frozenset(affirmed), tuple(scopes))


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _CLAUSE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _negations(text: str, start: int, end: int) -> list[re.Match[str]]:
    pattern = _CHINESE if detect(text) == "zh" else _ENGLISH
    if _UNTIL.search(text, start, end):
        return []
    return [match for match in pattern.finditer(text, start, end) if match["no"]]


def _across(text: str, negation: re.Match[str], start: int, end: int) -> list[str]:
    before = _PARTICLES.sub("", text[start : negation.start()])[-1:]
    behind = _PARTICLES.sub("", text[negation.end() : end])[:1]
    pair = before + behind
    return [pair] if len(pair) == 2 and detect(pair) == "zh" and not pair.isascii() else []


def _terms(text: str) -> list[str]:
    """Its terms in their order, without stop words and, in Chinese, particles."""
    bare = _PARTICLES.sub("", text)
    return [] if only_stop_words(bare) else list(content_terms(bare))
