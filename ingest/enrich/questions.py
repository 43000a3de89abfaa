"""Questions that a chunk answers: a question is nearer to another question than to a text that answers it (QQ recall)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.enrich.kinds import Ask, Kind, Line, Unreadable
from ingest.enrich.units import Unit
from models.listing import listed

MARKS = ("?", "？")
TOKENS_EACH = 25


class Questions(Kind):
    """`count` questions for each chunk."""

    name = "questions"

    def __init__(self, count: int) -> None:
        self._count = count

    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """One call a chunk."""
        for unit in units:
            yield self._ask(unit.shown, [unit], expected=TOKENS_EACH * self._count, count=self._count)

    def read(self, written: str, *, cut: bool) -> list[str]:
        """The questions; where some lines are, the others are talk. Of an answer that was cut, the last line is none."""
        found = listed(written)
        if cut and found and not found[-1].endswith(MARKS):
            found.pop()
        questions = [text for text in found if text.endswith(MARKS)] or found
        if not questions:
            raise Unreadable
        return questions[: self._count]

    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """A row for each question."""
        for text in value:
            yield Line("question", ask.units[0], str(text))
