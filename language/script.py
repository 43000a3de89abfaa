"""Scripts: which characters are Chinese, Japanese or Korean, how much room a text takes, which language it is in."""

from __future__ import annotations

import re

CJK_WIDTH = 2.5
"""One CJK character carries about as much as 2.5 Latin ones: 300 English and 120 Chinese characters are about 75 tokens."""

_CJK_CLASS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7af\u3005\U00020000-\U0003ffff"
_FULL_WIDTH = "\u3000-\u303f\uff01-\uff60\uffe0-\uffe6"
CJK_RUN = re.compile(f"[{_CJK_CLASS}]+")
_CJK = re.compile(f"[{_CJK_CLASS}]")
# in runs, since a match a character takes five times as long on Chinese text
_WIDE_RUN = re.compile(f"[{_CJK_CLASS}{_FULL_WIDTH}]+")
_KANA_RUN = re.compile("[\u3040-\u30ff\u31f0-\u31ff]+")
_HANGUL_RUN = re.compile("[\uac00-\ud7af]+")
_LETTER_RUN = re.compile(r"[^\W\d_]+")


def is_cjk(character: str) -> bool:
    """Whether the character is a Chinese, Japanese or Korean letter (punctuation is not)."""
    return _CJK.match(character) is not None


def width(text: str) -> float:
    """Length of the text in Latin characters, a CJK one (with the full-width marks between them) counted as 2.5."""
    return len(text) + (CJK_WIDTH - 1) * _count(_WIDE_RUN, text) if not text.isascii() else len(text)


def detect(text: str) -> str:
    """The language of the text by its script: "zh", "ja", "ko", else "en"; a text is CJK when a fifth of its letters are.

    Chinese text is full of Latin names and numbers, so the bar is low; Latin-script languages are not told apart: what
    depends on this (sentence ends, the answer's language) works alike for them.
    """
    sample = text[:20_000]
    cjk = _count(CJK_RUN, sample)
    if cjk == 0 or cjk < 0.2 * _count(_LETTER_RUN, sample):
        return "en"
    if _count(_KANA_RUN, sample) > 0.1 * cjk:
        return "ja"
    return "ko" if _count(_HANGUL_RUN, sample) > 0.5 * cjk else "zh"


def _count(runs: re.Pattern[str], text: str) -> int:
    """Characters in these runs of the text."""
    return sum(map(len, runs.findall(text)))
