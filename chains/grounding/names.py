"""Names in a sentence of an answer, as Latin script marks them, and looking them up in the sources.

There is no list of names: a word with a capital within a sentence is one, and so is a Latin word in Chinese text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from language import is_cjk
from language.stopwords import ENGLISH

_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ][A-Za-zÀ-ÖØ-öø-ɏ0-9]*(?:['’.&-][A-Za-zÀ-ÖØ-öø-ɏ0-9]+)*")
_OPENS = re.compile(r"[.:：;；!?。！？|\"“”‘(（*•\n-]\s*$|^\s*$")
_NOT_NAMES = frozenset(
    "i january february march april may june july august september october november december monday tuesday wednesday thursday "
    "friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mr mrs ms dr prof sir no yes am pm ad bc bce ce ok "
    "passage passages document documents section chapter table figure note".split()
)
_PLAIN_IN_CHINESE = frozenset("ok vs etc app pdf html http https www id tv it ai the and of or to in for with".split())


@dataclass(frozen=True)
class Name:
    """A name by its place in the sentence."""

    start: int
    end: int
    text: str


def latin_names(sentence: str) -> list[Name]:
    """Words that are written as names: with a capital within an English sentence, or any Latin word in Chinese."""
    words = list(_WORD.finditer(sentence))
    if sum(map(is_cjk, sentence)) > len(words):
        return [_named(m) for m in words if len(m[0]) > 1 and m[0].lower() not in _PLAIN_IN_CHINESE]
    if _is_title(sentence, words):
        return []
    found = []
    for number, match in enumerate(words):
        if not _capital(match[0]) or _ordinary(match[0]):
            continue
        following = words[number + 1] if number + 1 < len(words) else None
        goes_on = following is not None and sentence[match.end() : following.start()] == " " and _capital(following[0])
        first = _OPENS.search(sentence[: match.start()]) is not None
        if not first or (goes_on and following is not None and not _ordinary(following[0])) or not match[0][1:].islower():
            found.append(_named(match))
    return found


def first_word(sentence: str) -> Name | None:
    """The capital word that an English sentence begins with, which may be a name or not."""
    match = _WORD.search(sentence)
    if match is None or not _capital(match[0]) or _ordinary(match[0]) or _OPENS.search(sentence[: match.start()]) is None:
        return None
    return _named(match)


def follows(sentence: str, name: Name, source: str) -> str:
    """The name that stands in a source before the three words that follow this one in the sentence; "" where there is none."""
    after = _WORD.findall(sentence[name.end :])[:3]
    if len(after) < 3:
        return ""
    pattern = r"([A-ZÀ-Þ][\w'’.-]*)(?:['’]s)?\s+" + r"\W+".join(map(re.escape, after)) + r"\b"
    found = re.search(pattern, source)
    return found[1] if found and _folded(found[1]) != _folded(name.text) and found[1].lower() not in ENGLISH else ""


class KnownWords:
    """The Latin words of the sources, as names are looked up in them."""

    def __init__(self, text: str) -> None:
        words = _WORD.findall(text)
        self._folded = {part for word in words for part in (_folded(word), *map(_folded, re.split(r"['’.&-]", word)))} - {""}
        self._by_start: dict[str, list[str]] = {}
        for word in {_folded(word) for word in words if word[0].isupper()}:
            self._by_start.setdefault(word[:4], []).append(word)
        self._initials = set(_initials(words))

    def hold(self, name: str) -> bool:
        """Whether it is among them: in another form (America, American) and as the initials of several, too."""
        folded = _folded(name)
        if folded in self._folded or all(_folded(part) in self._folded for part in re.split(r"['’.&-]", name) if part):
            return True
        if name.isupper() and 2 <= len(folded) <= 6 and folded in self._initials:
            return True
        return len(folded) > 4 and any(_same_stem(folded, word) for word in self._by_start.get(folded[:4], ()))

    def hold_initials(self, names: Sequence[str]) -> bool:
        """Whether the first letters of these, in a row, are a word, as in NFL."""
        return len(names) > 1 and "".join(_folded(name)[0] for name in names) in self._folded


def _named(match: re.Match[str]) -> Name:
    return Name(match.start(), match.end(), re.sub(r"['’]s$", "", match[0]))


def _capital(word: str) -> bool:
    return word[0].isupper() and len(word) > 1


def _ordinary(word: str) -> bool:
    low = re.sub(r"['’].*", "", word.lower())
    return low in ENGLISH or low in _NOT_NAMES


def _is_title(sentence: str, words: Sequence[re.Match[str]]) -> bool:
    """Whether most words have capitals without a full stop, as in a heading or a row of a table, where they say nothing."""
    long = [match[0] for match in words if len(match[0]) > 3]
    most = len(long) > 3 and sum(map(_capital, long)) > 0.7 * len(long)
    return most and not sentence.rstrip().endswith((".", "!", "。", "！"))


def _same_stem(one: str, other: str) -> bool:
    """Whether two words of five letters or more part only at their last ones, as China and Chinese do."""
    shared = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other)))
    return len(other) > 4 and shared >= max(4, min(len(one), len(other)) - 2)


def _initials(words: Sequence[str]) -> Iterator[str]:
    capitals = [word for word in words if word[0].isupper()]
    for size in range(2, 7):
        for place in range(len(capitals) - size + 1):
            yield "".join(_folded(word)[:1] for word in capitals[place : place + size])


def _folded(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", re.sub(r"['’]s?$", "", word).lower())
    return "".join(sign for sign in decomposed if sign.isalnum())
