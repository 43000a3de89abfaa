"""A summary of each long chunk, which is searched beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.enrich.kinds import Ask, Kind, Line, Unreadable
from ingest.enrich.units import Unit
from language import width
from models import ModelError
from models.prose import prose

EXPECTED_TOKENS = 80


class Summary(Kind):
    """One summary for each chunk that is at least `min_size` wide."""

    name = "summary"

    def __init__(self, min_size: int) -> None:
        self._min_size = min_size

    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """One call a long chunk."""
        for unit in units:
            if width(unit.shown) >= self._min_size:
                yield self._ask(unit.shown, [unit], expected=EXPECTED_TOKENS)

    def read(self, written: str, *, cut: bool) -> str:
        """The summary. Raises ModelError when it is not whole."""
        if cut:
            raise ModelError("The language model reached its limit of words (llm.max_tokens).", code="cut_short")
        summary = " ".join(prose(written).split())
        if not summary:
            raise Unreadable
        return summary

    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """One row."""
        yield Line("summary", ask.units[0], str(value))
