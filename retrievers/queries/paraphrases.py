"""Multi-query: the question in other words, and in the other language (RAG-Fusion; LangChain's MultiQueryRetriever)."""

from __future__ import annotations

from language import detect
from models.listing import listed
from models.prompts import prompt
from retrievers.queries.query import Query, distinct, make
from retrievers.queries.writer import QueryWriter

OTHER_LANGUAGE = {"en": "zh", "zh": "en"}


class Paraphrases:
    """`count` paraphrases and, with `translate`, a translation between English and Chinese, all in one call of the model.

    Which line is the translation is told by its language, so a model that forgets it or the order does no harm.
    """

    layer = "multi_query"

    def __init__(self, writer: QueryWriter, *, count: int, translate: bool) -> None:
        self._writer, self._count, self._translate = writer, count, translate

    def queries(self, question: str) -> list[Query]:
        """The paraphrases, then the translation. Raises ModelError."""
        language = detect(question)
        other = OTHER_LANGUAGE.get(language) if self._translate else None
        translation = " " + prompt("translation", language) if other else ""
        texts = listed(self._writer.write("multi_query", question, count=self._count, translation=translation))
        paraphrases = distinct(question, make("paraphrase", (text for text in texts if detect(text) == language)))
        translations = distinct(question, make("translation", (text for text in texts if detect(text) == other)))
        return paraphrases[: self._count] + translations[:1]
