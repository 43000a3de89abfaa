"""Citations in a model's answer: [n] becomes a link to passage n, and a number that names no passage is taken out.

Models write them in many forms. Taken for one is what can hardly be anything else: numbers alone in square brackets, or behind a
word such as "source" or 来源. In round brackets that word is needed, and in them and in 〔〕, which have other uses, the passages
must exist. All else, such as (1), stays text, and so does what stands in code.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from chains.answer import Citation, cite
from chains.packing import Numbered
from retrievers import Context

_SEE = r"(?:(?:see|cf\.?|from|per|参见|参阅|参考|见|根?据)\s*)?"
_WORD = (
    r"(?:(?:sources?|passages?|documents?|docs?|contexts?|ref(?:erence)?s?|citations?|cites?|chunks?|excerpts?|snippets?"
    r"|来源|来自|段落|文档|资料|引用|引文|出处|文献|片段)\s*[:：_#-]?\s*(?:nos?\.\s*)?|id:\s*)"
)
"""What is written before a number: "Source", "see passages", 来源, citation: (as DeepSeek), doc (as Azure), ID: (as RAGFlow)."""
_AND = rf"\s*(?:[,，、;；&]|\band\b|\bor\b|[和及与或])\s*(?:and\s+)?(?:{_WORD})?"
_TO = r"\s*(?:[\-–—~]|\bto\b|[至到])\s*"
_NUMBERS = rf"\d+(?:(?:{_AND}|{_TO})\^?\d+)*"
_PAGE = r"\s*[,，:：]\s*(?:pp?\.|pages?\b|第(?=\s*\d+\s*页))\s*\d[\d\-–、,\s]*页?"
_PLACE = rf"†[^\[\]【】［］]*|{_PAGE}"
"""Where in the passage: 【1†L3】, [1, p. 3]."""
_FILE = r"\s*[,，:：|]\s*[^\[\]【】［］()（）\n]{1,120}"
"""The passage's name, which only a citation with a word has: [Source 1: a.pdf]."""
_CODE = (
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<!`)(?P<ticks>`++)(?P<inline>[^`\n]+)(?P=ticks)(?!`)"
)
_SQUARE = (
    rf"(?P<double>\[(?=\[[^\[\]]*\]\]))?[\[【［]\s*{_SEE}(?:\^?(?P<bare>{_NUMBERS})(?:\^|{_PLACE})?"
    rf"|{_WORD}(?P<named>{_NUMBERS})(?:{_PLACE}|{_FILE})?)\s*[\]】］](?(double)\])(?!\d+号)"
)
_ROUND = (
    rf"[(（]\s*{_SEE}{_WORD}(?P<round>{_NUMBERS})(?:{_PLACE}|{_FILE})?\s*[)）]|〔\s*(?:{_WORD})?(?P<tortoise>{_NUMBERS})\s*〕"
)
_MARK = re.compile(f"(?P<code>{_CODE})|{_SQUARE}|{_ROUND}", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_FROM_TO = re.compile(rf"(\d+)(?:{_TO}(\d+))?")


class Resolved(NamedTuple):
    """The text with every citation as [n], the citations in the order of their first mention, and how many were taken out."""

    text: str
    citations: tuple[Citation, ...]
    removed: int


def resolve(text: str, contexts: Numbered) -> Resolved:
    """A model's text with its citations held against what it was given."""
    cited: dict[int, Citation] = {}
    highest, removed = max(contexts, default=0), 0

    def resolved(match: re.Match[str]) -> str:
        nonlocal removed
        if match["code"]:
            return _MARK.sub(resolved, match["inline"]) if _is_mark(match["inline"]) else match[0]
        sure = match["bare"] or match["named"]
        named = _named(sure or match["round"] or match["tortoise"], highest)
        known = [n for n in named if n in contexts]
        unclear = not sure and (known != named or not named)
        if unclear or (named[:1] == [0] and named[1:]):  # [0, 1] and [0-9] count something else
            return match[0]
        removed += max(1, len(named)) - len(known)  # [3-1] names none
        for n in known:
            cited.setdefault(n, _citation(contexts[n], n))
        return "".join(f"[{n}]" for n in known)

    shown = _MARK.sub(resolved, text)
    return Resolved(shown, tuple(cited.values()), removed)


def _is_mark(code: str | None) -> bool:
    """Whether a code span holds a citation and nothing else."""
    return code is not None and _MARK.fullmatch(code.strip()) is not None


def _named(numbers: str, highest: int) -> list[int]:
    """The numbers of "1, 3-5"; each once. Whatever is above `highest` counts as the next above it."""
    found: dict[int, None] = {}
    for first, last in _FROM_TO.findall(numbers):
        start = _bounded(first, highest)
        found |= dict.fromkeys(range(start, (_bounded(last, highest) if last else start) + 1))
    return list(found)


def _bounded(digits: str, highest: int) -> int:
    return min(int(digits), highest + 1) if len(digits) <= 9 else highest + 1


def _citation(context: Context, n: int) -> Citation:
    best = max(context.segments, key=lambda segment: segment.score, default=None)
    return cite(context, n=n, start=best.start if best else context.start, end=best.end if best else context.end)
