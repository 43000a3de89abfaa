"""A chunk in words that can be understood without the text around it: "it costs 5 euros" is found by what it is that costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.enrich.kinds import Ask, Kind, Line, Unreadable, tokens
from ingest.enrich.units import Unit
from models import ModelError
from models.prose import prose

CONTEXT = 600
"""Characters of the chunk before that the model sees."""
NAME = "rewrite"


class Rewrite(Kind):
    """One text for each chunk, which stands beside it and is searched as a summary is; the chunk itself stays as it is."""

    name = NAME

    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """One call a chunk, with the end of the one before it."""
        for number, unit in enumerate(units):
            context = units[number - 1].shown[-CONTEXT:] if number else ""
            yield self._ask(unit.shown, [unit], expected=tokens(unit.shown), context=context)

    def read(self, written: str, *, cut: bool) -> str:
        """The rewritten text. Raises ModelError when it is not whole."""
        if cut:
            raise ModelError("The language model reached its limit of words (llm.max_tokens).", code="cut_short")
        text = prose(written)
        if not text:
            raise Unreadable
        return text

    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """One row, marked as what it is."""
        yield Line("summary", ask.units[0], str(value), {"written": NAME})
