"""Terms: the units in which a question and a passage are compared; words are stemmed, Chinese is folded and cut into bigrams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from language.folding import folded
from language.script import CJK_RUN
from language.stopwords import without_stop_words

_LETTER = rf"(?:(?!{CJK_RUN.pattern[:-1]})[^\W_])"
_TOKEN = re.compile(rf"{CJK_RUN.pattern}|{_LETTER}+(?:[.,](?=\d){_LETTER}+)*")

_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:[.,](?=[0-9])[a-z0-9]+)*")
"""The same, for ASCII text in small letters: three times as fast."""


def terms(text: str) -> list[str]:
    """The terms of a text in order: words in lower case, without accents, stemmed as English; CJK runs as overlapping bigrams,
    traditional characters as simplified ones.
    """
    return [term for term, _ in _terms_with_words(text)]


@lru_cache(maxsize=4096)
def term_set(text: str) -> frozenset[str]:
    """The distinct terms of a text; kept, since the same passages are compared with each question."""
    if text.isascii():  # each word once, as most come several times
        return frozenset(map(_stem, frozenset(_ASCII_TOKEN.findall(text.lower()))))
    return frozenset(terms(text))


def term_words(text: str) -> dict[str, str]:
    """The distinct terms of a text, in order, each with the word as it was written."""
    found: dict[str, str] = {}
    for term, word in _terms_with_words(text):
        found.setdefault(term, word)
    return found


def content_terms(query: str) -> dict[str, str]:
    """The distinct terms of a query without stop words, in order, each with the word as it was written."""
    return term_words(without_stop_words(query))


def _terms_with_words(text: str) -> Iterator[tuple[str, str]]:
    for token in _TOKEN.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)):
        if not token.isascii() and CJK_RUN.match(token):
            same = folded(token)
            yield from ((same[i : i + 2], token[i : i + 2]) for i in range(max(1, len(token) - 1)))
        else:
            yield _stem(token), token


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    plain = word.lower()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return str(_STEMMER.stemWord(plain))


_STEMMER = Stemmer.Stemmer("english")
