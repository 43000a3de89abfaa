"""Step-back prompting: also ask the more general question (Zheng et al., 2023, "Take a Step Back")."""

from __future__ import annotations

from models.listing import listed
from retrievers.queries.query import Query, fits_language, make
from retrievers.queries.writer import QueryWriter


class StepBack:
    """The question behind the question, whose passages hold the background."""

    layer = "step_back"

    def __init__(self, writer: QueryWriter) -> None:
        self._writer = writer

    def queries(self, question: str) -> list[Query]:
        """One more general question. Raises ModelError."""
        lines = listed(self._writer.write("step_back", question))
        return make("step_back", [line for line in lines if fits_language(line, question)][:1])
