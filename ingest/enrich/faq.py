"""Questions that people ask about a whole document, with answers; each leads to the chunk that its answer comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.enrich.kinds import Ask, Kind, Line, Unreadable
from ingest.enrich.units import Unit
from language import term_set, width
from models.choice import numbered_blocks
from models.structured import objects

TOKENS_EACH = 80
NAME = "faq"
_THOUGHT = re.compile(r"^.*</think(?:ing)?>|<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_LEAD = r"[ \t>]*(?:[-*•]\s+|#{1,6}\s+|\d{1,2}[.)、]\s*)?(?:\*\*|__)?"
_PAIR = re.compile(
    rf"^{_LEAD}(?:q(?:uestion)?|问(?:题)?)\s*\d*\s*[:：.](?:\*\*|__)?[ \t]*(?P<q>[^\n]+?)(?:\*\*|__)?[ \t]*\n+"
    rf"{_LEAD}(?:a(?:nswer)?|答(?:案)?)\s*\d*\s*[:：.](?:\*\*|__)?[ \t]*(?P<a>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
_CITED = re.compile(
    r"[ \t]*[\[［【(（]\s*(?:passages?|段落|第)?\s*(\d{1,3})[^\])）］】\n]*[\]］】)）](?=[\s.。]*$)", re.IGNORECASE
)

Pair = tuple[str, str, int]
"""A question, its answer, and the number of the passage that the model named; 0 when it named none."""


class Faq(Kind):
    """Up to `count` questions with answers for each part of a document, which is at most `part_size` wide or one chunk."""

    name = NAME

    def __init__(self, *, count: int, part_size: int) -> None:
        self._count, self._part_size = count, part_size

    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """One call a part."""
        for part in self._parts(units):
            shown = numbered_blocks([unit.shown for unit in part])
            yield self._ask(shown, part, expected=TOKENS_EACH * self._count, between=False, count=self._count)

    def read(self, written: str, *, cut: bool) -> list[Pair]:
        """The pairs, of JSON or of lines; of an answer that was cut, the last is none."""
        text = _THOUGHT.sub("", written)
        found = list(_of_json(text)) or list(_of_lines(text))
        if cut:
            found = found[:-1]
        if not found:
            raise Unreadable
        return found[: self._count]

    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """A row for each question, at the chunk that the model named, or else the one that shares most words with the answer."""
        for question, answer, number in value:
            unit = ask.units[number - 1] if 0 < number <= len(ask.units) else _nearest(f"{question} {answer}", ask.units)
            yield Line("question", unit, question, {"written": NAME, "answer": answer})

    def _parts(self, units: Sequence[Unit]) -> Iterator[list[Unit]]:
        part, size = list[Unit](), 0.0
        for unit in units:
            if part and size + width(unit.shown) > self._part_size:
                yield part
                part, size = [], 0.0
            part.append(unit)
            size += width(unit.shown)
        if part:
            yield part


def _of_json(text: str) -> Iterator[Pair]:
    for value in objects(text):
        pairs = next((v for v in value.values() if isinstance(v, list)), [value])
        for pair in pairs:
            known = {str(key).lower(): said for key, said in pair.items()} if isinstance(pair, dict) else {}
            question, answer = (
                _said(known, *names) for names in (("question", "q", "问题", "问"), ("answer", "a", "答案", "答"))
            )
            number = next((known[name] for name in ("passage", "number", "段落", "编号") if name in known), 0)
            if question and answer:
                yield question, answer, number if isinstance(number, int) else 0


def _said(known: dict[str, Any], *names: str) -> str:
    return next((" ".join(known[name].split()) for name in names if isinstance(known.get(name), str)), "")


def _of_lines(text: str) -> Iterator[Pair]:
    for match in _PAIR.finditer(text):
        cited = _CITED.search(match["a"].strip())
        answer = (match["a"].strip()[: cited.start()] if cited else match["a"]).strip()
        if answer:
            yield match["q"].strip(), answer, int(cited[1]) if cited else 0


def _nearest(text: str, units: Sequence[Unit]) -> Unit:
    words = set(term_set(text))
    return max(units, key=lambda unit: len(words & set(term_set(unit.shown))))
