"""HyDE: search with an answer that the model imagines (Gao, Ma, Lin and Callan, 2022, "Precise Zero-Shot Dense Retrieval")."""

from __future__ import annotations

import re

from models.listing import listed
from models.prose import prose
from retrievers.queries.query import Query, fits_language, make
from retrievers.queries.writer import QueryWriter
from retrievers.vector import LEG as VECTOR

LONGEST_PASSAGE = 1000
"""Characters; the model was asked for a few sentences, and an embedder takes about 512 tokens."""
_A_WORD = 20
"""Characters; what is shorter may say that there is no passage, such as NONE."""
_HEADING = re.compile(r"\A[^\n]{0,80}[:：]\s*\n+")


class HypotheticalDocument:
    """A short passage that would answer the question, for the vector leg: answers lie nearer to passages than questions do."""

    layer = "hyde"

    def __init__(self, writer: QueryWriter) -> None:
        self._writer = writer

    def queries(self, question: str) -> list[Query]:
        """The passage, without what models put around it; none in another language than the question's. Raises ModelError."""
        text = prose(_HEADING.sub("", prose(self._writer.write("hyde", question))))
        passage = " ".join(text.split())[:LONGEST_PASSAGE]
        is_one = fits_language(passage, question) and (len(passage) >= _A_WORD or bool(listed(passage)))
        return make("hyde", [passage] if is_one else [], legs=(VECTOR,))
