"""Whether the text of a PDF page is what a reader sees there: many fonts do not tell which letters their shapes are.

Then a program gets codes without a letter, numbers of shapes taken for letters ("7KH UHIXQG" for "The refund"), or letters that
somebody has shuffled. What is no text in any language shows it, without a list of words.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from ingest.garbled import garbled_share
from ingest.loaders.pdf.glyphs import Glyph
from ingest.loaders.plausibility import COMMON

_FEWEST = 40
"""Characters of a kind that there must be to judge by their frequencies."""
_UNNAMED = 0.3
"""Of the characters: those that are no letters, or that stand for glyphs."""
_ORNAMENTS = 2
"""Characters without a letter on a page that has hardly any others: bullets, a logo."""
_MARKS, _KINDS_OF_MARKS = 0.5, 8
"""Of the characters, and how many different ones: more than in code or in a table of numbers."""
_MIXED = 0.25
"""Of neighbouring letters: those of two scripts."""
_FREQUENT = {"CJK": 0.13, "HANGUL": 0.3}
"""Of ideographs and of syllables: the share that the most frequent few hundred have at least; half and more in running text."""
_AS_OFTEN = 3
"""So often one of them counts at most."""
_NATS = 3.38
"""The mean surprise of Latin letters: 2.9 to 3.2 in the languages of Europe and in Vietnamese, 3.9 where they are shuffled."""
_DOUBT = 8.0
"""What the surprise of all letters together has to be more, as a few are by chance what they are."""
_PER_MILLE = (125, 100, 80, 75, 65, 65, 65, 60, 45, 40, 40, 30, 28, 28, 26, 25, 22, 16, 16, 15, 12, 12, 10, 8, 4, 4)
_LATIN = dict(zip("eainrtosldumchkpgbyvzfwjxq", _PER_MILLE, strict=True))
"""How often letters are, accents aside, about, in texts of many languages."""
_ONE_SCRIPT = {"HIRAGANA": "KANA", "KATAKANA": "KANA", "KATAKANA-HIRAGANA": "KANA"}
_TOGETHER = frozenset({"LATIN", "GREEK", "CJK", "KANA", "BOPOMOFO", "HANGUL"})
"""Scripts that one word may have, such as the name of a part or a formula."""


def is_nonsense(glyphs: Sequence[Glyph]) -> bool:
    """Whether what the page's fonts tell is no text in any language; of too few characters to say so, whether they tell any."""
    named = [glyph for glyph in glyphs if not _is_unnamed(glyph.text)]
    if len(glyphs) - len(named) > max(_ORNAMENTS, _UNNAMED * len(glyphs)):
        return True
    text = _text(named)
    if garbled_share(text) > _UNNAMED or is_unlike_language(text):
        return True
    guessed = [glyph for glyph in named if glyph.unmapped]
    return len(guessed) > _UNNAMED * len(named) and (len(guessed) < _FEWEST or is_unlike_language(_text(guessed)))


def is_unlike_language(text: str) -> bool:
    """Whether the characters of a text are none that any language has beside each other, or has so often.

    A word counts once, as the cells of a table may all say the same.
    """
    words = sorted({*unicodedata.normalize("NFKC", text).split()})
    return _is_of_marks(words) or _mixes_scripts(words) or _is_infrequent(words) or _is_shuffled_latin(words)


def agrees(text: str, read: str) -> bool:
    """Whether a page's text has most of the pairs of letters that were read on its picture."""
    known, seen = Counter(_pairs(text)), Counter(_pairs(read))
    return (known & seen).total() > 0.7 * seen.total()


def _text(glyphs: Sequence[Glyph]) -> str:
    return "".join(f" {glyph.text}" if glyph.blank else glyph.text for glyph in glyphs)


def _is_unnamed(character: str) -> bool:
    return not character or character == "\ufffd" or unicodedata.category(character[0]) in ("Cc", "Cn", "Co", "Cs")


def _is_of_marks(words: Sequence[str]) -> bool:
    """Whether most characters are marks, of many kinds; a line of one mark is a line."""
    shown = [before for word in words for before, after in pairwise([*word, ""]) if before != after]
    marks = [character for character in shown if unicodedata.category(character)[0] in "PS"]
    return len(shown) >= _FEWEST and len(marks) > _MARKS * len(shown) and len(set(marks)) >= _KINDS_OF_MARKS


def _mixes_scripts(words: Sequence[str]) -> bool:
    """Whether many words have letters of several scripts."""
    pairs = [(_script(a), _script(b)) for word in words for a, b in pairwise(word) if a.isalpha() and b.isalpha()]
    mixed = sum(a != b and not {a, b} <= _TOGETHER for a, b in pairs)
    return len(pairs) >= _FEWEST and mixed > _MIXED * len(pairs)


def _is_infrequent(words: Sequence[str]) -> bool:
    """Whether the ideographs or the syllables are those that a text hardly has."""
    for script, least in _FREQUENT.items():
        counts = Counter(letter for letter in "".join(words) if _script(letter) == script)
        told = {letter: min(count, _AS_OFTEN) for letter, count in counts.items()}
        total = sum(told.values())
        if total >= _FEWEST and sum(count for letter, count in told.items() if letter in COMMON) < least * total:
            return True
    return False


def _is_shuffled_latin(words: Sequence[str]) -> bool:
    letters = "".join(letter for word in words for letter in word.lower() if _script(letter) == "LATIN")
    found = [_LATIN[letter] for letter in unicodedata.normalize("NFD", letters) if letter in _LATIN]
    return len(found) >= _FEWEST and -sum(math.log(each / 1000) for each in found) > _NATS * len(found) + _DOUBT


@lru_cache(maxsize=20_000)
def _script(letter: str) -> str:
    """The script of a letter, "" of other characters."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "?").partition(" ")[0]
    return _ONE_SCRIPT.get(name, name)


def _pairs(text: str) -> Iterable[str]:
    letters = [letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum()]
    return (a + b for a, b in pairwise(letters))
