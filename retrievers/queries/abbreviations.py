"""Abbreviations: VR also searches Virtual Reality, and the other way round, as the documents (or the model) explain them."""

from __future__ import annotations

import re

from models.listing import listed
from retrievers.lexical import LEG as LEXICAL
from retrievers.queries.glossary import Glossary, Meanings
from retrievers.queries.keywords import content_words
from retrievers.queries.query import Query, make
from retrievers.queries.short_forms import Pair, best_long_form, is_short
from retrievers.queries.writer import QueryWriter
from store.terms import TermStatistics

_EQUALS = re.compile(r"\s*(?:=|:|：|→|->|\s[-–—]\s|\bstands for\b|\bmeans\b|是指|指的?是|代表|全称[是为]?)\s*")
_CANDIDATE = re.compile(r"[A-Za-z0-9][\w.&/+-]{1,9}", re.ASCII)


class Abbreviations:
    """The question's words with what its abbreviations stand for, and the abbreviations of what it spells out, for full text.

    The model is asked only for abbreviations that the base does not explain, and believed only where the letters fit.
    """

    layer = "abbreviations"

    def __init__(self, glossary: Glossary, statistics: TermStatistics, writer: QueryWriter | None = None) -> None:
        self._glossary, self._statistics, self._writer = glossary, statistics, writer

    def queries(self, question: str) -> list[Query]:
        """One query, or none when there is nothing to expand. Raises ModelError."""
        known = self._glossary.meanings
        forms = known.of(question)
        unknown = [word for word in _CANDIDATE.findall(question) if is_short(word) and word not in known.long_forms]
        if unknown and self._writer:
            forms += self._asked(self._writer, question, unknown).of(question)
        if not forms:
            return []
        own = content_words(question, self._statistics)
        return make("abbreviation", [" ".join([own, *dict.fromkeys(forms)])], legs=(LEXICAL,))

    def _asked(self, writer: QueryWriter, question: str, unknown: list[str]) -> Meanings:
        """What the model says of these: its lines such as "VR = Virtual Reality", where the letters fit, or in Chinese."""
        parted = (_EQUALS.split(line, maxsplit=1) for line in listed(writer.write("abbreviations", question)))
        pairs = (Pair(pair[0].strip(" \"'*`"), pair[1].strip(" \"'*`.。")) for pair in parted if len(pair) == 2)
        return Meanings(
            p for p in pairs if p.short in unknown and (best_long_form(p.short, p.long) == p.long or not p.long.isascii())
        )
