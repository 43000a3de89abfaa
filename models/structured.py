"""What a model chose, however it wrote it: numbers as JSON, a code fence, "1, 3", ranges, verdicts, prose, Chinese; or JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from models.thoughts import without_thoughts

LONGEST_ANSWER = 8000
"""Characters that are read, from the end: there the answer stands, whatever was thought aloud before it."""

_RANGE = re.compile(r"(?<![\d.])(\d{1,4})(?:\s*(?:-|–|—|~|to\b|through\b|到|至)\s*(\d{1,4}))?(?![.]?\d)")
_NAMED = re.compile(
    r"(?:\[|\b(?:passages?|sentences?|documents?|numbers?|no\.|nos\.)|段落|句子?|编号|第)\s*(?:[\[#(]\s*)?"
    r"(\d{1,4}(?:(?:\s*(?:,|、|;|/|&|-|–|—|~|to\b|through\b|and\b|or\b|到|至|和|与|及|或)\s*)+\d{1,4})*)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?:^|:)[ \t]*(\[[^\[\]{}]*\])(?=[\s}`.,。'\"]*$)", re.MULTILINE)
_NO = re.compile(
    r"\b(?:no|not|none|never|neither|nothing|false|cannot|except|without|irrelevant|unrelated|unhelpful|unsupported|useless)\b|n['’]t\b"
    r"|[不没無无否未除]|非(?!常)",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"(\d{1,4})\s*[\])\"'*]*\s*[:=.,|>\-–—]+[\s\"'*>]*(?:(?P<no>no\b|not\b|false\b|irrelevant\b|unhelpful\b|否|不|无|没)"
    r"|(?:yes\b|true\b|relevant\b|helpful\b|helps\b|是|有|相关))",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[\n;。]|(?<=[^\W\d]),|[.!?](?=\s|$)|\bbut\b|\bhowever\b|\bwhile\b|但|而", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_CIRCLED = re.compile(r"[①-⑳]")
_HAN = {han: str(n) for n, han in enumerate("一二三四五六七八九十", start=1)}
_HAN_NUMBER = re.compile(r"(?<=第)([一二三四五六七八九十])(?![一二三四五六七八九十])")
_ONLY_HAN = re.compile(r"[一二三四五六七八九十]([\s,、和与及][一二三四五六七八九十])*[.。]?")
_NUMBER_KEYS = ("passage", "sentence", "document", "number", "index", "id", "n", "段落", "句子", "编号")


def chosen(written: str, highest: int) -> list[int] | None:
    """The numbers from 1 to `highest` that the text chooses, each once, in its order; [] when it says none; None when unclear.

    JSON counts before prose. In prose, a clause that denies chooses nothing ("but 2 does not"), and where numbers are named or
    bracketed ("passage 2", "[2]", 第二段), other numbers are not meant. Numbers above `highest` are left out.
    """
    text = _plain(without_thoughts(written)[-LONGEST_ANSWER:])
    found = _from_objects(text, highest)
    if found is None and any(value and all(map(_denies, value)) for value in _objects(text)):
        return None  # {"unsupported": [2]} tells what was not asked for
    if found is None:
        found = _from_lists(text, highest)
    if found is None:
        found = _from_prose(text, highest)
    if found is None:
        return None
    kept = [n for n in dict.fromkeys(found) if 1 <= n <= highest]
    return kept if kept or not found else None


def objects(written: str) -> list[dict[str, Any]]:
    """The JSON objects in what a model wrote, outermost ones, in their order; what it thought aloud is left out."""
    return list(_objects(without_thoughts(written)[-LONGEST_ANSWER:]))


def _plain(text: str) -> str:
    """The text with digits and signs in one form, and small Chinese numerals, where they number things, as digits."""
    text = unicodedata.normalize("NFKC", _CIRCLED.sub(lambda match: f" {match[0]} ", text)).strip()
    if _ONLY_HAN.fullmatch(text):
        return "".join(_HAN.get(sign, sign) for sign in text)
    return _HAN_NUMBER.sub(lambda match: _HAN[match[1]], text)


def _from_objects(text: str, highest: int) -> list[int] | None:
    """What the JSON objects in the text choose: the last that chooses anything, or all of them when each judges one thing."""
    objects = [found for found in (_read(value, highest) for value in _objects(text)) if found is not None]
    judged = [value for value in _objects(text) if _number_of(value) is not None]
    if len(judged) > 1:
        return [n for value in judged for n in _read(value, highest) or []]
    return objects[-1] if objects else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    place = text.find("{")
    while place >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _from_lists(text: str, highest: int) -> list[int] | None:
    """What the lists that stand alone at the end of a line choose: the last, or all when each holds one number."""
    lists = [_RANGE.findall(inside) for inside in _ALONE.findall(text)]
    if not lists:
        return None
    meant = [one for row in lists for one in row] if all(len(row) == 1 for row in lists) else lists[-1]
    return list(_spread(meant, highest))


def _read(value: Any, highest: int) -> list[int] | None:
    """What a JSON value chooses; None when it says nothing of numbers."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return [int(value)] if value == int(value) else []
    if isinstance(value, str):
        return list(_spread(_RANGE.findall(_plain(value)), highest)) or ([] if _is_none(value) else None)
    if isinstance(value, list):
        return _read_list(value, highest)
    return _read_object(value, highest) if isinstance(value, dict) else None


def _read_list(values: list[Any], highest: int) -> list[int]:
    if values and all(isinstance(value, bool) for value in values):
        return [n for n, value in enumerate(values, start=1) if value]
    return [n for value in values for n in _read(value, highest) or []]


def _read_object(value: dict[str, Any], highest: int) -> list[int] | None:
    verdicts = {key: _RANGE.findall(_plain(key)) for key in value}
    if value and all(len(numbers) == 1 for numbers in verdicts.values()):  # {"1": true, "2": "no"}
        return [int(verdicts[key][0][0]) for key, verdict in value.items() if _is_yes(verdict)]
    number = _number_of(value)
    if number is not None:  # {"passage": 1, "helps": true}
        others = [v for k, v in value.items() if k.lower() not in _NUMBER_KEYS and isinstance(v, bool | str)]
        return [number] if not others or _is_yes(others[0]) else []
    for key, inner in sorted(value.items(), key=lambda item: isinstance(item[1], str)):  # a text may be a reason
        if not _denies(key) and isinstance(inner, list | dict | int | str):
            found = _read(inner, highest)
            if found is not None:
                return found
    return None


def _number_of(value: dict[str, Any]) -> int | None:
    found = [v for k, v in value.items() if k.lower() in _NUMBER_KEYS and isinstance(v, int) and not isinstance(v, bool)]
    return found[0] if found else None


def _denies(key: str) -> bool:
    return bool(_NO.search(key.replace("_", " ")))


def _is_yes(verdict: Any) -> bool:
    return not _NO.search(verdict) if isinstance(verdict, str) else bool(verdict)


def _from_prose(text: str, highest: int) -> list[int] | None:
    text = _TAG.sub(" ", text)
    judged = list(_VERDICT.finditer(text))
    if judged:
        return [int(match[1]) for match in judged if not match["no"]]
    named, clauses = bool(_NAMED.search(text)), _CLAUSE_END.split(text)
    numbers = [_numbers(clause, highest, named=named) for clause in clauses]
    positive = [n for clause, found in zip(clauses, numbers, strict=True) if not _NO.search(clause) for n in found]
    if positive:
        return positive
    return [] if not any(numbers) and _is_none(text) else None


def _numbers(clause: str, highest: int, *, named: bool) -> list[int]:
    pieces = _NAMED.findall(clause) if named else [clause]
    return [n for piece in pieces for n in _spread(_RANGE.findall(piece), highest)]


def _spread(ranges: Iterable[tuple[str, str]], highest: int) -> Iterator[int]:
    """Each number of "3" and "3-5"; whatever is above `highest` counts as the next above it."""
    for first, last in ranges:
        start = min(int(first), highest + 1)
        yield from range(start, min(int(last or first), highest + 1) + 1)


def _is_none(text: str) -> bool:
    return bool(_NO.search(text)) or text.strip(" .\n`") in ("[]", "{}", "0")
