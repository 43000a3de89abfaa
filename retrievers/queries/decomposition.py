"""Decomposition: one query for each thing that a question compares or asks for (least-to-most prompting, Zhou et al., 2022)."""

from __future__ import annotations

from language import detect, width
from models.listing import listed
from retrievers.queries import chinese_comparisons, english_comparisons
from retrievers.queries.query import Query, fits_language, make
from retrievers.queries.writer import QueryWriter

LONGEST = 300
"""Width of a question that the rules are tried on: what is longer tells a story, and the rules' time grows with its cube."""


class Decomposition:
    """The parts of a question, at most `count`: as the model writes them, or without one by rules for comparisons."""

    layer = "decomposition"

    def __init__(self, writer: QueryWriter | None = None, *, count: int) -> None:
        self._writer, self._count = writer, count

    def queries(self, question: str) -> list[Query]:
        """Two parts or more, each complete by itself; none of a question that asks for one thing. Raises ModelError."""
        found = self._written(self._writer, question) if self._writer else parts(question)
        return make("part", found[: self._count]) if len(found) > 1 else []

    def _written(self, writer: QueryWriter, question: str) -> list[str]:
        lines = listed(writer.write("decomposition", question, count=self._count))
        return [line for line in lines if fits_language(line, question)]


def parts(question: str) -> list[str]:
    """The parts by rules, in English or Chinese; [] when the question compares nothing and does not ask twice."""
    rules = chinese_comparisons if detect(question) == "zh" else english_comparisons
    ways = (rules.asked_of_others, rules.compared, rules.asked_together) if width(question) <= LONGEST else ()
    found: list[str] = next((told for told in (way(question) for way in ways) if told), [])
    distinct = dict.fromkeys(" ".join(part.split()) for part in found)
    return list(distinct) if len(distinct) > 1 else []
