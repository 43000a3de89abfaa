"""The token chunker: chunks of so many tokens, as the embedder counts them, or by an estimate where it does not tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings

from ingest.chunkers.base import Piece, Sizes, SpanChunker
from ingest.chunkers.bounds import Ruler, unbroken
from ingest.chunkers.windows import windows
from language import width
from models.base import GlassboxEmbeddings

Counter = Callable[[list[str]], list[int]]
"""How many tokens each of some words has within a text, behind the blanks that it begins with, if any."""

WIDEST = 12
"""A token counts at least for so much width, so that blanks and rules, which are few tokens, make no endless chunk."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_ATOM = re.compile(rf"\s*(?:[{_CJK}]{{1,8}}|[^\W{_CJK}]{{1,24}}[^\s\w]{{0,3}}|[^\s\w]{{1,8}})|\s+")
_ESTIMATED = re.compile(rf"(?P<cjk>[{_CJK}])|(?P<digits>\d{{1,3}})|(?P<word>[^\W\d_{_CJK}]{{1,6}})|\S")


def estimated(texts: list[str]) -> list[int]:
    """Tokens of each text: a word has one for each six letters begun, a number one for three digits, ten CJK characters seven.

    Calibrated on multilingual-e5's vocabulary, of which it gives a little more than there are.
    """
    return [_estimate(text) for text in texts]


def _estimate(text: str) -> int:
    kinds = [match.lastgroup for match in _ESTIMATED.finditer(text)]
    cjk = kinds.count("cjk")
    return len(kinds) - cjk + -(-7 * cjk // 10)


class TokenChunker(SpanChunker):
    """Chunks of at most `tokens` tokens, of which `repeated` are the end of the chunk before; without that, chunk_overlap wide.

    Tokens are counted a word at a time (of Chinese, up to eight characters), which is right within a few percent.
    chunk_size does not bound these chunks: they are at most 12 times `tokens` wide.
    """

    name: ClassVar[str] = "token"

    def __init__(
        self, sizes: Sizes | None = None, *, tokens: int = 384, repeated: int | None = None, counter: Counter = estimated
    ) -> None:
        super().__init__(sizes)
        self.tokens, self.repeated, self._counter = tokens, repeated, counter

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Chunks of tokens."""
        ends, so_far = self._counted(text)

        def at(place: int) -> int:
            """Tokens up to a place; a word counts to its start."""
            return int(so_far[np.searchsorted(ends, place, side="right")])

        def reach(start: int) -> int:
            most = int(np.searchsorted(so_far, at(start) + self.tokens, side="right")) - 1
            limit = int(ends[most - 1]) if most and ends[most - 1] > start else start + 1
            return unbroken(text, limit, start)

        def back(start: int, end: int) -> int:
            if self.repeated is None:
                earliest = max(ruler.back(end, self.sizes.chunk_overlap), ruler.back(end, ruler.width(start, end) / 2))
            else:
                fewest = int(np.searchsorted(so_far, at(end) - self.repeated, side="left"))
                earliest = int(ends[fewest - 1]) if fewest else 0
            first = int(np.searchsorted(ends, earliest, side="left"))
            return unbroken(text, int(ends[first]), start) if first < len(ends) and ends[first] <= end else end

        return [Piece(*span) for span in windows(text, reach, back)]

    def _counted(self, text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The ends of the words, and the tokens up to each, beginning with 0."""
        matches = list(_ATOM.finditer(text))
        words = [match[0] for match in matches]
        known = list(dict.fromkeys(words))
        least = [-(-width(word) // WIDEST) for word in known]
        counts = dict(zip(known, np.maximum(self._counter(known), least).astype(np.int64).tolist(), strict=True))
        tokens = np.array([counts[word] for word in words], dtype=np.int64)
        return np.array([match.end() for match in matches], dtype=np.int64), np.concatenate(([0], np.cumsum(tokens)))


def counter_of(embeddings: Embeddings) -> Counter:
    """The embedder's own count where it has one (the built-in one has), else the estimate.

    A word by itself begins with a token for the blank before it; one that goes on without a blank has not got that in the text.
    """
    if not isinstance(embeddings, GlassboxEmbeddings) or not embeddings.counts_tokens:
        return estimated

    def counted(words: list[str]) -> list[int]:
        counts = embeddings.token_counts(words)
        return [count - (not word[0].isspace()) for word, count in zip(words, counts, strict=True)]

    return counted
