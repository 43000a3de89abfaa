"""Terms: the units in which a question and a passage are compared; Latin words are stemmed, Chinese is cut into bigrams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from language.script import CJK_RUN
from language.stopwords import without_stop_words

_LETTER = rf"(?:(?!{CJK_RUN.pattern[:-1]})[^\W_])"
_TOKEN = re.compile(rf"{CJK_RUN.pattern}|{_LETTER}+(?:[.,](?=\d){_LETTER}+)*")

_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:[.,](?=[0-9])[a-z0-9]+)*")
"""The same, for ASCII text in small letters: three times as fast."""


def terms(text: str) -> list[str]:
    """The terms of a text in order: words in lower case, without accents, stemmed as English; CJK runs as overlapping bigrams."""
    return [term for term, _ in _terms_with_words(text)]


@lru_cache(maxsize=4096)
def term_set(text: str) -> frozenset[str]:
    """The distinct terms of a text; kept, since the same passages are compared with each question."""
    if text.isascii():  # each word once, as most come several times
        return frozenset(map(_stem, frozenset(_ASCII_TOKEN.findall(text.lower()))))
    return frozenset(terms(text))


def content_terms(query: str) -> dict[str, str]:
    """The distinct terms of a query without stop words, in order, each with the word as it was written."""
    found: dict[str, str] = {}
    for term, word in _terms_with_words(without_stop_words(query)):
        found.setdefault(term, word)
    return found


def _terms_with_words(text: str) -> Iterator[tuple[str, str]]:
    for token in _TOKEN.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)):
        if not token.isascii() and CJK_RUN.match(token):
            yield from ((token[i : i + 2], token[i : i + 2]) for i in range(max(1, len(token) - 1)))
        else:
            yield _stem(token), token


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    plain = word.lower()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return str(_STEMMER.stemWord(plain))


_STEMMER = Stemmer.Stemmer("english")
