"""The route that a question shows by itself: what it compares or asks in one breath, what it wants listed or explained.

These are rules of a few words for English and Chinese. Whatever they do not know is a question for one thing, for which the
settings are used as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chains.routing.route import RouteName
from language import content_terms, detect, width
from retrievers.queries.decomposition import parts

SHORT = 30.0
"""Width of what people type into a search box: a few words without a question (a Chinese character is 2.5 wide)."""
LONG = 250.0
"""Width from which on a question tells a story, in which the words that matter drown."""
MOST_PARTS_SHOWN = 4

_SENTENCE = re.compile(r"[^?？]*[?？]+")
_LISTS = re.compile(
    r"^\W*(?:please |can you |could you )*(?:list|enumerate|name (?:all|the|every|each|some|\w+ \w+s\b))\b"
    r"|(?<!\bat )(?<!\bafter )(?<!\babove )"
    r"\b(?:all|every|each)(?: of)?(?: the| our| my| their| these| those)? (?!right|in all)\w"
    r"|所有|全部|列出|列举|罗列|[有是]哪些|哪几[个种项条类]|每[个种项条家位]|分别[是有为]|一共有",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(
    r"\b(?:summari[sz]e|summary|overview|outline|gist|tl;?dr|"
    r"(?:main|key) (?:points?|ideas?|topics?|findings?|takeaways?|messages?))\b"
    r"|\bwhat (?:is|are) (?:this|these|the|my|our) (?:documents?|files?|texts?|base) about\b"
    r"|总结|概括|概述|综述|概要|摘要|要点|主要内容|大意|梳理",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"^\W*(?:and |but |so |please |can you |could you )*(?:why|explain|describe)\b"
    r"|\bhow come\b|\bwhat (?:causes?|caused|makes|made|led)\b|\b(?:reasons?|causes?|rationale) (?:for|of|why|behind)\b"
    r"|\bhow (?:do|does|did) .{1,80}\bwork\b"
    r"|为什么|为何|为啥|原因|原理|解释|怎么回事",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"\bhow (?:do|does|did|can|could|should|would|to|is|are|was|were)\b|\b(?:steps?|procedure|instructions?) (?:to|for|of)\b"
    r"|怎么|怎样|如何|步骤",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(
    r"\b(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)\b"
    r"|什么|谁|哪|几|多少|多[久长大重高远快宽深厚]|怎|如何|为何|吗|呢|是否|能否|是不是|有没有",
    re.IGNORECASE,
)

_LEFT_OUT = re.compile(
    r"((?:what|who|whom|whose|when|where|which|why|how)\b[^,?]+),\s+"
    r"((?:and\s+)?(?:what|how)\s+about\s[^,?]{1,60}\?+|and\s+(?:its|their|his|her|the|of|for)\s[^,?]{1,60}\?+)",
    re.IGNORECASE,
)
_LEFT_OUT_CHINESE = re.compile(
    r"([^，,？?]+)[，,]\s*((?:(?![^，,？?]*(?:什么|哪|谁|几|多|怎|何))[^，,？?呢]{1,15}呢[，,？?\s]*)+)"
)
_ASKS_WORD = r"(?:what|who|whom|whose|when|where|which|why|how)\b"
_BEGINS_TO_ASK = re.compile(_ASKS_WORD, re.IGNORECASE)
_TWO_QUESTIONS = re.compile(rf"[?;]\s+\w|\band\s+(?:{_ASKS_WORD}|(?:of|for|in|at|from|by)\b)", re.IGNORECASE)
_NO_MEMBER = re.compile(rf"^(?:it|they|he|she|there|\d)|\b(?:do|does|did)\b|\b{_ASKS_WORD}", re.IGNORECASE)
"""What no thing that is compared holds; where a part does, nothing was compared: "in the game versus Pittsburgh"."""
_COMPARES = re.compile(r"区别|差别|差异|不同|异同|分别|优缺点|优劣|对比|比较|相比|各自|更|比")


@dataclass(frozen=True)
class Features:
    """A route by its features: why, as in Route, and the layers that suit the kind of question."""

    name: RouteName = "simple"
    why: str = "one_thing"
    params: Mapping[str, Any] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """The questions that were asked one after the other, where a later one leans on an earlier one."""


def features(question: str) -> Features:
    """The route of a question that stands alone. Its time does not grow with the question: the first 2,000 characters decide."""
    text = " ".join(question.split())[:2000]
    if not content_terms(text):
        return Features()
    found = parts(text)
    if found and _is_taken_apart(text, found):
        return Features("complex", "parts", {"count": len(found), "parts": _shown(found)}, ("decomposition",))
    asked = asked_in_turn(text)
    if len(asked) > 1:
        return Features("complex", "several", {"count": len(asked)}, ("decomposition",), asked)
    return next((found for asks, found in _ASKS if asks(text)), Features())


def asked_in_turn(text: str) -> tuple[str, ...]:
    """The questions of a text that asks several, each with its question mark; () where it asks one.

    A sentence that is no question goes with the one behind it: "We are in France. How many days are there?"
    """
    asked = [match[0].strip() for match in _SENTENCE.finditer(_with_ends(text))]
    meant = [each for each in asked if content_terms(each) or _QUESTION_WORD.search(each)]
    return tuple(meant) if len(meant) > 1 and content_terms(meant[0]) else ()


def _with_ends(text: str) -> str:
    """The text with an end behind what is asked in full where the rest leaves that out: "How much is A, and the B?", …，B呢？"""
    for pattern in (_LEFT_OUT, _LEFT_OUT_CHINESE):
        match = pattern.fullmatch(text)
        if match and _QUESTION_WORD.search(match[1]):
            rest = re.sub("[，,](?=[^？?]*呢)", "？", match[2])
            return f"{match[1]}{'?' if match[1].isascii() else '？'} {rest}"
    return text


def _is_taken_apart(text: str, found: Sequence[str]) -> bool:
    """Whether the parts can be trusted: a question that is searched by wrong parts is answered worse than by none."""
    if detect(text) == "zh":
        return bool(_COMPARES.search(text)) or all(_QUESTION_WORD.search(part) for part in found)
    if all(_BEGINS_TO_ASK.match(part) for part in found):
        return bool(_TWO_QUESTIONS.search(text))
    return not any(_NO_MEMBER.search(part) for part in found)


def is_short(text: str) -> bool:
    """Whether it is a few words, as people type them into a search box, rather than a question."""
    has_question = bool(re.search(r"[?？]", text)) or bool(_QUESTION_WORD.search(text))
    return width(text) <= SHORT and not has_question


_ASKS: tuple[tuple[Callable[[str], object], Features], ...] = (
    (lambda text: width(text) > LONG, Features("medium", "long", {}, ("keywords",))),
    (_OVERVIEW.search, Features("medium", "overview")),
    (_EXPLAINS.search, Features("medium", "explains", {}, ("hyde",))),
    (_LISTS.search, Features("medium", "lists")),
    (_HOW_TO.search, Features("medium", "how_to")),
    (is_short, Features("medium", "short", {}, ("multi_query", "abbreviations"))),
)
"""What one question may ask for, by what it is known; the first that fits."""


def _shown(found: list[str]) -> str:
    separator = "；" if detect(found[0]) == "zh" else "; "
    return separator.join(found[:MOST_PARTS_SHOWN])
