"""What an English question compares, or asks in one breath, by rules; each part keeps what it shares with the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from language.stopwords import ENGLISH

_ABOUT = (
    r"(?:\s+(?:in terms of|with (?:respect|regard) to|regarding|concerning|when it comes to|in|for|on|at|under|during|since|when"
    r"|by)\s.+)?"
)
"""What the comparison is about, after its last member."""
_QUALITY = r"(?:better|worse|more|less|fewer|\w{2,}er)(?:\s+(?!than\b)[\w-]+){0,3}?"
_QUESTION_START = (
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|shall|should|has|have|had"
    r"|may|might|must|if|whether|i|we|you)\b"
)
_BETWEEN = r"(?:differences?|similarit(?:y|ies)|comparisons?|distinctions?|relation(?:ship)?s?|trade-?offs?)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(" ", r"\s+").replace("ABOUT", rf"(?P<about>{_ABOUT})\s*[?.!]*\s*$"), re.IGNORECASE)


_PATTERNS = (
    _pattern(rf"(?<![\w'’-])(?P<aspect>(?:[\w-]+ ){{0,2}}?){_BETWEEN} (?:between|of) (?P<list>.+?)ABOUT"),
    _pattern(
        r"\bhow (?:do|does|did|is|are|was|were) (?P<a>.+?) (?:differ(?:ent)?|compared?) (?:from|to|with|than) (?P<rest>.+?)ABOUT"
    ),
    _pattern(
        r"\b(?:pros and cons|strengths and weaknesses|(?:dis)?advantages?) of (?P<a>.+?)"
        r" (?:over|compared (?:to|with)|versus|vs\.?) (?P<rest>.+?)ABOUT"
    ),
    _pattern(r"\b(?<!\bI\s)(?<!\bwe\s)(?<!\bto\s)compar(?:e|es|ed|ing|ison) (?:of |between )?(?P<list>.+?)ABOUT"),
    _pattern(rf"^(?:is|are|was|were|does|do|did|can|will|has|have) (?P<a>.+?) (?P<aspect>{_QUALITY}) than (?P<b>.+?)ABOUT"),
    _pattern(rf"^(?:is|are|was|were) (?P<a>.+?) or (?P<b>.+?) (?P<aspect>{_QUALITY})ABOUT"),
    _pattern(r"\b(?:which|what|who)(?: one)?\b(?P<aspect>[^,:;?]*)[,:;?] (?P<list>.+? or .+?)ABOUT"),
    _pattern(r"(?P<list>.+? (?:vs\b\.?|versus) .+?)ABOUT"),
    _pattern(rf"^(?P<list>(?!{_QUESTION_START})[^,?]+? or [^,?]+?), (?:which|what|who)\b(?: one)?(?P<aspect>[^,?]*)ABOUT"),
    _pattern(rf"^(?P<list>(?!{_QUESTION_START})[^,?]+? or [^,?]+?)(?P<about>)\?\s*$"),
)
_MEMBERS = re.compile(r"\s*,\s*(?:and|or|with|to)\s+|\s*,\s+|\s+(?:and|or|with|to|against|vs\.?|versus)\s+", re.IGNORECASE)
_ONLY_ASKING = re.compile(
    r"^(?:(?:what|which|who|how|why)(?:'s|\s+is|\s+are|\s+was|\s+were|\s+about|\s+one)?|can you|could you|please|explain"
    r"|describe|show|tell me|give me|list|compare|is|are|do|does|main|key|major|biggest|there|any|me|a|an|the|of|about|some|in"
    r"|has|have|one)\b[\s,:]+(?=\S)",
    re.IGNORECASE,
)
_NO_ASPECT = frozenset("a an any are biggest has have is key main major one some the was were what which".split())
_NO_MEMBER = ENGLISH | {"before", "now", "usual", "expected", "average", "mean"}
_DETERMINER = re.compile(r"(?:the|a|an|this|that|our|my|your|their|its)\b", re.IGNORECASE)
_SHARED_HEAD = re.compile(r"^(.*\b(?:of|for|in|at|from|by|under)\s+(?:the\s+)?)", re.IGNORECASE)
_QUESTION_WORD = r"(?:what|who|whom|whose|when|where|why|which|how)\b"
_NEXT_QUESTION = re.compile(rf"[?;]\s+|,?\s+and\s+(?={_QUESTION_WORD})|,\s+(?={_QUESTION_WORD})", re.IGNORECASE)
_NO_THING = re.compile(rf"^course\b|\b{_QUESTION_WORD}", re.IGNORECASE)
_LEANS = re.compile(r"(?:what|how)\s+about\b", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"(?P<head>(?:what|which|who|when|where|why|how)\b[^,?]*?\s(?P<of>of|for|in|at|from|by)\s)(?P<first>[^,?]+?)"
    r"(?P<tail>\s(?:is|are|was|were|do|does|did|will|can|has|have|cost|costs)\b[^,?]*)?"
    r"\s*[,?]?\s+and\s+(?:(?:what|how)\s+about\s+)?(?P=of)\s+(?P<other>[^,?]+?)\s*\?*",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|that|these|those|he|him|his|she|her|one|both|so|there)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class _Comparison:
    members: tuple[str, ...]
    before: str
    after: str


def compared(question: str) -> list[str]:
    """A query for each thing that is compared, with what the comparison is about; [] when nothing is compared."""
    for pattern in _PATTERNS:
        match = pattern.search(question)
        found = _comparison(question, match) if match else None
        if found:
            return [" ".join(f"{found.before} {member} {found.after}".split()) for member in found.members]
    return []


def asked_of_others(question: str) -> list[str]:
    """What is asked of one thing and then of another ("What is the price of A, and of B?"), each with all its words."""
    match = _OF_OTHERS.fullmatch(question.strip())
    if match is None or _REFERS_BACK.search(match["other"]) or _NO_THING.search(match["other"]):
        return []
    return [" ".join(f"{match['head']}{one}{match['tail'] or ''}".split()) for one in (match["first"], match["other"])]


def asked_together(question: str) -> list[str]:
    """The questions of a sentence that asks several; [] when a later one refers back ("and who made it?")."""
    asked = [part.strip(" ?.!,") for part in _NEXT_QUESTION.split(question)]
    asked = [part for part in asked if re.match(_QUESTION_WORD, part, re.IGNORECASE) and len(part.split()) > 2]
    return asked if len(asked) > 1 and not any(_REFERS_BACK.search(p) or _LEANS.match(p) for p in asked[1:]) else []


def _comparison(question: str, match: re.Match[str]) -> _Comparison | None:
    held = match.groupdict(default="")
    if "list" in held:
        members = _MEMBERS.split(held["list"])
    else:
        members = [held["a"], *(_MEMBERS.split(held["rest"]) if "rest" in held else [held["b"]])]
    headline = re.search(r"\s(?:vs\.?|versus)\s", match[0], re.IGNORECASE) is not None
    named = _with_shared_words([_stripped(member) for member in members], headline=headline)
    if len(named) < 2 or not all(
        any(word.isupper() or word.lower() not in _NO_MEMBER for word in name.split()) for name in named
    ):
        return None
    opening, comma, _ = question[: match.start()].rpartition(",")
    after = f"{_aspect(held.get('aspect', ''))} {held['about'].strip(' ?.!')}"
    return _Comparison(tuple(named), f"{opening}{comma}", after)


def _stripped(text: str) -> str:
    """The text without the words at its beginning that only ask, and without signs around it."""
    text = text.strip(" ?.!,:;")
    while (match := _ONLY_ASKING.match(text)) and match.end():
        text = text[match.end() :]
    return re.sub(r"^both\s+", "", text, flags=re.IGNORECASE).strip()


def _aspect(text: str) -> str:
    text = _stripped(text)
    return "" if text.lower() in _NO_ASPECT else text


def _with_shared_words(members: list[str], *, headline: bool) -> list[str]:
    """The members with the words that are said once for all: "the price of apples and pears", "REST and GraphQL APIs"."""
    if not members or not all(members):
        return members
    head = _SHARED_HEAD.match(members[0])
    if head:
        return [m if i == 0 or _SHARED_HEAD.match(m) or _DETERMINER.match(m) else head[1] + m for i, m in enumerate(members)]
    last = members[-1].split()
    length = len(members[0].split())
    tail = last[length:]
    names = all(word[:1].isupper() or word[:1].isdigit() for m in members for word in m.split()[:length])
    same_kind = len({len(m.split()) for m in members[:-1]}) == 1 and not _DETERMINER.match(members[-1])
    if tail and same_kind and (headline or (names and tail[0][:1].islower()) or (names and tail[-1][:-1].isupper())):
        return [*(f"{m} {' '.join(tail)}" for m in members[:-1]), members[-1]]
    return members
