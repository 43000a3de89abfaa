"""The abbreviations of a base, as its documents explain them; gathered once for each state of the base."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from language import folded
from language.script import CJK_RUN, is_cjk
from language.stopwords import ENGLISH
from retrievers.queries.short_forms import Pair, pairs_in
from store.chunks import ChunkStore

TEXTS = 10_000
"""Chunks that are read after a change, spread over the base: a second or two of work; a smaller base is read whole."""
FORMS = 3
"""Meanings of one abbreviation that are searched for, the most often explained first."""


class Meanings:
    """What each abbreviation stands for, and the other way round; Chinese in simplified characters, as it is looked up."""

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for short, long in pairs:
            counts[folded(short)][folded(long)] += 1
        self.long_forms: Mapping[str, tuple[str, ...]] = {short: _likeliest(longs) for short, longs in counts.items()}

    def of(self, question: str) -> list[str]:
        """What else to search for: long forms of the abbreviations in the question, short forms of names that it spells out."""
        question = folded(question)
        words = set(re.findall(r"[A-Za-z0-9][\w.&/+-]*[\w+]", question, re.ASCII))
        found: dict[str, None] = {}
        for short in self._in_question(question, words):
            found |= dict.fromkeys(self.long_forms[short])
        lowered = " ".join(question.casefold().split())
        for long, short in self._shorts.items():
            if _stands_in(long, lowered):
                found[short] = None
        return [form for form in found if not _stands_in(form.casefold(), lowered)]

    def _in_question(self, question: str, words: set[str]) -> list[str]:
        """The abbreviations that the question holds, also in small letters unless these make a common word, as for IT or US."""
        lowered = {word.casefold() for word in words if word.casefold() not in ENGLISH}
        return [
            short
            for short in self.long_forms
            if short in words or short.casefold() in lowered or (is_cjk(short[0]) and short in question)
        ]

    @cached_property
    def _shorts(self) -> dict[str, str]:
        return {long.casefold(): short for short, longs in self.long_forms.items() for long in longs}


class Glossary:
    """The meanings that the texts of a base give."""

    def __init__(self, store: ChunkStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._revision = -1
        self._meanings = Meanings()

    @property
    def meanings(self) -> Meanings:
        """Those of the base as it is now."""
        with self._lock:
            revision = self._store.revision
            if revision != self._revision:
                self._meanings = Meanings(pair for text in self._store.sample_texts(TEXTS) for pair in pairs_in(folded(text)))
                self._revision = revision
            return self._meanings


def _stands_in(form: str, lowered: str) -> bool:
    """Whether the form is in the text; a Latin one as whole words."""
    place = lowered.find(form)
    while place >= 0:
        around = lowered[place - 1 : place] + lowered[place + len(form) : place + len(form) + 1]
        if CJK_RUN.search(form) or not any(c.isalnum() and not is_cjk(c) for c in around):
            return True
        place = lowered.find(form, place + 1)
    return False


def _likeliest(longs: Counter[str]) -> tuple[str, ...]:
    """The long forms most often given, each once whatever its case; of Chinese ones that end alike, what they have in common.

    The name before a bracket has no beginning that one could see: 采用虚拟现实 and 推广虚拟现实 both mean 虚拟现实.
    """
    kept: dict[str, str] = {}
    for long, _ in longs.most_common():
        alike = next((key for key in kept if len(_common_end(key, long)) >= 3), None) if is_cjk(long[0]) else None
        if alike:
            kept[alike] = _common_end(kept[alike], long)
        else:
            kept.setdefault(re.sub(r"[\s-]+", " ", long.casefold()), long)
    return tuple(kept.values())[:FORMS]


def _common_end(one: str, other: str) -> str:
    length = next((n for n in range(min(len(one), len(other)), 0, -1) if one[-n:] == other[-n:]), 0)
    return one[len(one) - length :]
