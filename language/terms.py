"""Terms: the units in which a question and a passage are compared; Latin words are stemmed, Chinese is cut into bigrams."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import Stemmer

from language.script import CJK_RUN
from language.stopwords import without_stop_words

_LETTER = rf"(?:(?!{CJK_RUN.pattern[:-1]})[^\W_])"
_TOKEN = re.compile(rf"{CJK_RUN.pattern}|{_LETTER}+(?:[.,](?=\d){_LETTER}+)*")


def terms(text: str) -> list[str]:
    """The terms of a text in order: words in lower case, without accents, stemmed as English; CJK runs as overlapping bigrams."""
    found: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text)):
        if CJK_RUN.match(token):
            found.extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        else:
            found.append(_stem(token))
    return found


def content_terms(query: str) -> list[str]:
    """The distinct terms of a query without stop words, in order."""
    return list(dict.fromkeys(terms(without_stop_words(query))))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    return str(_STEMMER.stemWord(plain))


_STEMMER = Stemmer.Stemmer("english")
