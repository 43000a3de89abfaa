"""What a language model wrote as a list, in whatever shape: lines, numbers, bullets, JSON, a code fence, with talk around it.

Structured output is not asked for: many small models and servers know neither tools nor response formats, and refuse the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from models.thoughts import without_thoughts

LONGEST_ITEM = 400
"""Characters; what is longer is no query but an essay."""
_KEYS = ("query", "question", "text", "content", "q", "查询", "问题")
"""Where an object keeps its item, when it has other values too."""

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_JSON_START = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?!\s*:)|(?<![\w])\'((?:[^\'\\\n]|\\.)+)\'(?=\s*[,\]}])')
_NUMBER = re.compile(
    r"[•·‣◦●▪■➤]\s*|[-*+–—]\s+|[(（]?\d{1,2}\s*(?:[)）、．]|[.:：](?!\d))\s*|[\u2460-\u2473]\s*"
    r"|[(（]?[一二三四五六七八九十]{1,2}[)）、．.]\s*|\(?[a-h]\)\s*"
)
"""A number or a bullet."""
_LABEL = re.compile(
    r"(?:(?:alternative|rephrased|search|sub|general|standalone|rewritten)[ -]?"
    r"|(?:独立|完整|替代|检索|搜索|通用|(?:改写|重写)后?)的?(?=查询|问题|版本))?"
    r"(?:quer(?:y|ies)|questions?|sub-?questions?|versions?|variants?|paraphrases?|parts?|translations?|keywords?|step-?back|q"
    r"|查询|问题|子问题|改写|版本|变体|翻译|译文|关键词|英文|中文|english|chinese)(?: question| query)?"
    r"\s*(?P<number>#?\d{1,2}|[一二三四五六七八九十])?\s*(?:[(（][^()（）]{1,20}[)）])?\s*[:：]\s*",
    re.IGNORECASE,
)
"""What says of an item which one it is: "Query 1:", "Translation (Chinese):"."""
_NEXT_NUMBER = re.compile(r"\s+(?=\d{1,2}[.)、](?!\d)\s*\S)")
_CHATTER = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great)\b\s*[!,.，]"
    r"|(?:here(?:'s|’s| is| are)|below (?:is|are)|these are|the following|i hope|i have (?:re|gener|creat|provid|writ)\w+|note"
    r"|i (?:cannot|can['’]t)|i['’]m sorry|sorry|unfortunately|hope (?:this|these)|feel free|as an ai"
    r"|(?:alternative|rephrased) (?:versions|queries|questions))\b(?!.*\?$)"
    r"|(?:would you like|do you want me|shall i|let me know)\b"
    r"|(?:好的|当然|没问题|以下是|下面是|这里是|这是|这些是|希望|抱歉|对不起|很遗憾|注意|注[:：]|如果[你您]|如需|需要我|您还需要|你还需要)",
    re.IGNORECASE,
)
_NOTHING = frozenset(["none", "n/a", "na", "null", "nothing", "no", "empty", "无", "没有", "空", "不需要", "不适用"])
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»", "`": "`", "”": "”", "＂": "＂"}


def listed(written: str) -> list[str]:
    """The items of the list in the text, in order, each once; without markers, quotes, headings and talk. [] when there are none.

    JSON counts when it holds texts: a list of them, of objects, or an object with such a list. Of lines, when some carry a
    number or a bullet, only those do; else all but headings (which end in a colon) and what is said to the reader.
    """
    text = without_thoughts(written).strip()
    fenced = _FENCE.search(text)
    body = fenced[1] if fenced and fenced[1].strip() else re.sub(r"```[\w-]*", "", text)
    items = _from_json(body)
    if items is None:
        items = _from_lines(body)
    known: dict[str, str] = {}
    for item in map(_bare, items):
        if re.search(r"\w", item) and len(item) <= LONGEST_ITEM and item.rstrip(".。").lower() not in _NOTHING:
            known.setdefault(item.casefold(), item)
    return list(known.values())


def _from_json(text: str) -> list[str] | None:
    """The texts of the JSON values that begin at the first line that begins like one; of broken JSON, its complete strings.

    None when there is no JSON, such as for "[1] is a citation".
    """
    start = _JSON_START.search(text)
    if not start:
        return None
    rest, found = text[start.start() :].strip(), list[str]()
    while rest[:1] in ("[", "{"):
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):  # cut off by the limit of words, a comma too many, or Python's quotes
            return found + [_unescaped(match) for match in _STRING.finditer(rest)] or None
        found.extend(_texts(value))
        rest = rest[end:].lstrip(" \t\r\n,;")
    return None if rest and not found else found


def _unescaped(match: re.Match[str]) -> str:
    return re.sub(r"\\(.)", r"\1", match[1] or match[2] or "")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        inner = [one for one in value.values() if isinstance(one, (list, dict))]
        named = [value[key] for key in _KEYS if isinstance(value.get(key), str)]
        for one in inner or named[:1] or value.values():
            yield from _texts(one)


def _from_lines(text: str) -> list[str]:
    items: list[str] = []
    marked: list[str] = []
    any_number = False
    waiting = False  # a number stands on a line by itself: the next line is its item
    for raw in text.splitlines():
        line = _unemphasised(raw)
        number, label = _NUMBER.match(line), _LABEL.match(line)
        mark = number or label
        item = line[mark.end() :].strip() if mark else line
        if not line or _is_heading(raw, item):
            waiting = waiting or bool(number and not item)
        elif mark or waiting or not _CHATTER.match(line):
            any_number = any_number or waiting or bool(number or (label and label["number"]))
            items.append(item)
            marked += [item] if mark or waiting else []
            waiting = False
    return _parted(marked) if any_number else items


def _is_heading(raw: str, item: str) -> bool:
    return not item or raw.lstrip().startswith("#") or item.endswith((":", "："))


def _parted(marked: list[str]) -> list[str]:
    """The items; a single one is parted at the numbers in it: "1. this 2. that" in one line."""
    return _MARKED_AGAIN.sub("", "\n".join(_NEXT_NUMBER.split(marked[0]))).split("\n") if len(marked) == 1 else marked


_MARKED_AGAIN = re.compile(r"^\d{1,2}[.)、]\s*", re.MULTILINE)


def _unemphasised(line: str) -> str:
    """The line without Markdown's signs for a quotation and for emphasis."""
    return re.sub(r"\*\*|__", "", line.strip().lstrip("> ")).strip()


def _bare(item: str) -> str:
    """The item on one line, without markers, and without quotes around all of it."""
    text = " ".join(item.split()).rstrip(",，;；").strip()
    while (match := _NUMBER.match(text) or _LABEL.match(text)) and match.end() < len(text):
        text = text[match.end() :]
    while len(text) > 2 and _PAIRS.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip().rstrip(",，")
    return text
