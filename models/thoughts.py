"""What a reasoning model thinks aloud before it answers, where its server leaves that in the text.

Many chat templates write the opening mark into the prompt, so that only the closing one comes back.
"""

from __future__ import annotations

import re

from language import is_cjk

PAIRS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
}
"""The marks around a thought, as the chat templates of DeepSeek, Qwen, Seed, Mistral and Kimi have them, in small letters."""
_OPENING = re.compile("|".join(map(re.escape, PAIRS)), re.IGNORECASE)
_CLOSING = re.compile("|".join(map(re.escape, PAIRS.values())), re.IGNORECASE)
LONGEST_MARK = max(map(len, PAIRS.values()))
_THOUGHT = re.compile(f"^.*(?:{_CLOSING.pattern})|(?:{_OPENING.pattern}).*", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_QUOTES = frozenset("\"'“”‘’「」『』《》()（）`")
_SENTENCE_ENDS = frozenset(".!?:。！？：…")


def without_thoughts(written: str) -> str:
    """The answer alone; "" when the thoughts did not end."""
    return _THOUGHT.sub("", written)


def thought_end(written: str, start: int = 0, *, last: bool = True) -> int | None:
    """Where a thought ends that has no opening mark; None where none does, looked for from `start` on.

    A mark that is spoken of, in code, in quotation marks or within a sentence, ends nothing. Where it stands is told by the
    character behind it too: unless this is the `last` of the text, a mark at its end is not decided yet.
    """
    for mark in _CLOSING.finditer(written, start):
        if mark.end() == len(written) and not last:
            return None
        if _ends(written, mark.start(), mark.end()):
            return mark.end()
    return None


def _ends(written: str, start: int, end: int) -> bool:
    """Whether the closing mark there is one, and not spoken of."""
    before, behind = written[:start], written[end : end + 1]
    line = before.rpartition("\n")[2]
    if _OPENING.search(before) or line.count("`") % 2 or len(_FENCE.findall(before)) % 2:
        return False
    if not line.strip() or behind in ("", "\r", "\n"):
        return True
    last = before[-1]
    if last in _QUOTES:
        return False
    return line.rstrip()[-1] in _SENTENCE_ENDS or not (last.isspace() or is_cjk(last))
