"""HyDE: search with an answer that the model imagines (Gao, Ma, Lin and Callan, 2022, "Precise Zero-Shot Dense Retrieval")."""

from __future__ import annotations

import re

from retrievers.queries.query import Query, make
from retrievers.queries.writer import QueryWriter
from retrievers.vector import LEG as VECTOR

LONGEST_PASSAGE = 1000
"""Characters; the model was asked for a few sentences, and an embedder takes about 512 tokens."""
_WRAPPING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|^\s*```\w*\s*|\s*```\s*$", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"\A[^\n]{0,80}[:：]\s*\n+")


class HypotheticalDocument:
    """A short passage that would answer the question, for the vector leg: answers lie nearer to passages than questions do."""

    layer = "hyde"

    def __init__(self, writer: QueryWriter) -> None:
        self._writer = writer

    def queries(self, question: str) -> list[Query]:
        """The passage, without the heading that some models put before it. Raises ModelError."""
        passage = _HEADING.sub("", _WRAPPING.sub("", self._writer.write("hyde", question)).strip())
        return make("hyde", [" ".join(passage.split())[:LONGEST_PASSAGE]], legs=(VECTOR,))
