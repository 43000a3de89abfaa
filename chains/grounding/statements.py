"""An answer taken apart into statements, each with the passages that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from language import only_stop_words, sentences

LONGEST = 600
"""Width (language.width) beyond which a sentence without an end is held against the sources in pieces."""
_CITED = re.compile(r"\[(\d{1,3})\]")
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKER = re.compile(r"(?:\s*(?:[-*+•·>|]|\d{1,2}[.)、](?=\s)|\d{1,2}、|[（(]\d{1,2}[)）]))+\s*")
_NUMBERED = re.compile(r"\(?\d{1,2}[.)）、]")
_RULE = re.compile(r"^[\s|:*_=-]*$")
_EMPHASIS = re.compile(r"(?<!\d)\*{1,3}|\*{1,3}(?!\d)|_{2,3}|`+|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__)\s*$")
_ASIDE = re.compile(
    r"\b(?:passages?|documents?|sources?|texts?|contexts?|files?|information|details?)\b[^.!?]{0,60}?"
    r"\b(?:do(?:es)? not|don['’]t|doesn['’]t|did not|never|no|cannot|(?:is|are) not|isn['’]t|aren['’]t)\b[^.!?]{0,40}?"
    r"\b(?:say|state|mention|contain|give|provide|include|specif|describe|tell|explain|cover|name|information|available|found|answer)"
    r"|\b(?:no|any) (?:information|mention|details?|answer)\b"
    r"|(?:文档|段落|资料|文中|原文|文件|材料|上述内容|信息)[^。！？]{0,20}?(?:没有|并未|未|无法|不能|不)[^。！？]{0,12}?"
    r"(?:提到|提及|说明|给出|写明|提供|找到|包含|涉及|记载|描述|指出|答案|相关)"
    r"|(?:没有|未|无法)(?:在[^。！？]{0,12})?(?:找到|查到)[^。！？]{0,12}?(?:信息|内容|答案|说明)",
    re.IGNORECASE,
)
_BARE = frozenset(["yes", "no", "是", "是的", "不是", "否", "对", "对的", "不对", "没有", "有", "可以", "不可以", "好的"])
_END = re.compile(r"[.!?。！？…)\]）】\"”’|*`]\s*$")


@dataclass(frozen=True)
class Statement:
    """A sentence `start:end` of the answer; `text` is it without citations and Markdown, `cited` are its passages' numbers.

    One that is not `checked` says nothing that a source could hold: a heading, a question, or an `aside`, that the documents do
    not tell something.
    """

    start: int
    end: int
    text: str
    cited: tuple[int, ...] = ()
    checked: bool = True
    aside: bool = False


def statements(answer: str, *, finished: bool = True) -> list[Statement]:
    """The statements in the order of the answer; the last words of one that is not `finished` are not checked."""
    told = _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), answer)
    masked = _CITED.sub(lambda match: " " * len(match[0]), told)  # as long as the answer, so that places stay
    spans = [span for start, end in sentences(masked, longest=LONGEST) for span in [_trimmed(masked, start, end)] if span]
    cited = _cited(told, spans)
    made = [_statement(answer, start, end, tuple(cited.get(number, ()))) for number, (start, end) in enumerate(spans)]
    if made and not finished and not _END.search(answer[made[-1].start :]):
        last = made[-1]
        made[-1] = Statement(last.start, last.end, last.text, last.cited, checked=False)
    return made


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span without the marks of lists and tables at its ends; None when nothing remains."""
    line_end = text.find("\n", end)
    is_number = _NUMBERED.fullmatch(text[start:end]) and text[end : line_end if line_end >= 0 else len(text)].strip()
    if _RULE.match(text[start:end]) or is_number:
        return None
    marker = _MARKER.match(text, start, end)
    start = marker.end() if marker else start
    while end > start and text[end - 1] in " \t|\n":
        end -= 1
    return (start, end) if re.search(r"\w", text[start:end]) else None


def _cited(answer: str, spans: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    """The numbers cited in or behind each span; those that begin a line belong to what follows."""
    found: dict[int, list[int]] = {}
    for match in _CITED.finditer(answer):
        place = match.start()
        number = next((n for n in range(len(spans) - 1, -1, -1) if spans[n][0] <= place), None)
        behind = number is not None and spans[number][1] <= place
        if number is None or (behind and number + 1 < len(spans) and "\n" in answer[spans[number][1] : place]):
            number = 0 if number is None else number + 1
        if spans and int(match[1]) not in found.setdefault(number, []):
            found[number].append(int(match[1]))
    return found


def _statement(answer: str, start: int, end: int, cited: tuple[int, ...]) -> Statement:
    line_start = answer.rfind("\n", 0, start) + 1
    line_end = answer.find("\n", end)
    line = answer[line_start : line_end if line_end >= 0 else len(answer)]
    text = " ".join(_EMPHASIS.sub("", _CITED.sub("", answer[start:end])).replace("|", ", ").split())
    bare = text.strip(" .,!。，！").lower()
    idle = (
        _HEADING.match(line) is not None
        or (_BOLD_LINE.match(line) is not None and not cited and bool(answer[end:].strip("*_ \n")))
        or text.endswith((":", "：", "?", "？"))
        or bare in _BARE
        or only_stop_words(text)
    )
    aside = not idle and _ASIDE.search(text) is not None
    return Statement(start, end, re.sub(r"\s+([.,;!?])", r"\1", text), cited, checked=not idle and not aside, aside=aside)
