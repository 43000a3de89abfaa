"""What a language model wrote as running text, without what it wrote around it: thoughts, a code fence, a preamble, a label."""

from __future__ import annotations

import re

from models.thoughts import without_thoughts

_FENCED = re.compile(r"```[\w-]*[ \t]*\n?(.*?)\n?[ \t]*(?:```|\Z)", re.DOTALL)
_PREAMBLE = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|great)\b[!,.]?\s*)?"
    r"(?:here(?:'s|’s| is| are)\b|below is\b|the following\b|i(?:'ve|’ve| have) )[^\n:]{0,120}:\s*"
    r"|(?:sure|certainly|of course|absolutely|okay|ok|great)\s*[!,.]\s*(?=\n|$)"
    r"|(?:好的|当然|没问题|可以)[，,。！!]+\s*(?:(?:以下|下面|这)[^\n：:]{0,40}[：:])?\s*"
    r"|(?:以下|下面|这)(?:是|为)[^\n：:]{0,40}[：:]\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:#{1,6}\s+)?(?:\*\*|__)?(?:(?:rewritten|rewrite|self-contained|short|brief)\s+)?(?:summary|passage|text|rewrite|version|answer"
    r"|description|概括|摘要|总结|改写|改写后的段落|段落|描述|说明)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*",
    re.IGNORECASE,
)
_AFTERWORD = re.compile(
    r"\n\s*(?:let me know\b|i hope\b|feel free\b|would you like\b|note(?: that)?\s*:|希望|如需|如果(?:你|您)|需要我)[^\n]*\s*\Z",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』"}


def prose(written: str) -> str:
    """The text that was asked for; "" when there is none.

    A code fence counts only when all of the answer but a preamble is in it: else it is part of the text.
    """
    text = without_thoughts(written).strip()
    text = _without_preamble(text)
    fenced = _FENCED.fullmatch(text)
    text = _without_preamble(fenced[1].strip() if fenced else text)
    text = _AFTERWORD.sub("", text).strip()
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1] and not set(text[1:-1]) & {text[0], text[-1]}:
        text = text[1:-1].strip()
    return text


def _without_preamble(text: str) -> str:
    for pattern in (_PREAMBLE, _LABEL):
        match = pattern.match(text)
        if match and text[match.end() :].strip():
            text = text[match.end() :].lstrip()
    return text
