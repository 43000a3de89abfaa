"""What of a model's words may be shown while they come: not NO_ANSWER, and not what it thinks before it answers."""

from __future__ import annotations

import re

from models.thoughts import LONGEST_MARK, PAIRS, thought_end

_NO_ANSWER = re.compile(r"NO\\?_ANSWER")
_MARKS = ("NO_ANSWER", r"NO\_ANSWER")
_BEGINNINGS = {mark[:n] for mark in _MARKS for n in range(1, len(mark))}
_CLOSINGS = {mark[:n] for mark in PAIRS.values() for n in range(3, len(mark) + 1)}
"""Closing marks and what may well become one: whether a whole one ends a thought is told by what follows it."""
_WORD = re.compile(r"\w")


class Shown:
    r"""Takes a model's words in pieces, split anywhere, and gives back what may be shown of them.

    A piece that may turn out to be the beginning of NO_ANSWER (or NO\_ANSWER, as Markdown writes it) waits for the next one.
    Words that begin with it, behind marks such as ** at most, are a refusal: nothing is shown. A leading <think>…</think>, as
    reasoning models without a parser on their server write it, is dropped. Where only its end comes, since the chat template
    wrote its beginning, all before it was a thought: what was shown of it is taken back.
    """

    def __init__(self) -> None:
        self.text = ""
        """All that has been shown and not been taken back."""
        self.said_no_answer = False
        self.refused = False
        """NO_ANSWER was the first word."""
        self.taken_back = 0
        """How often what had been shown was a thought."""
        self._waiting = ""
        self._written = ""
        """All that was written behind the last thought, shown or not."""
        self._read = 0
        """So much of it has no end of a thought in it."""

    def feed(self, piece: str) -> str:
        """What may be shown now that this piece has come."""
        self._waiting += piece
        self._written += piece
        return self._show(last=False)

    def end(self) -> str:
        """What may be shown now that nothing comes any more."""
        return self._show(last=True)

    def _show(self, *, last: bool) -> str:
        if self._thinking(last=last):
            return ""
        while end := thought_end(self._written, self._read, last=last):
            self._take_back(end)
            if self._thinking(last=last):
                return ""
        self._read = max(0, len(self._written) - LONGEST_MARK - 1)
        free = self._free(last=last)
        self.text += free
        return free

    def _take_back(self, end: int) -> None:
        """Nothing was said so far, as it was a thought that ends there."""
        self.taken_back += bool(self.text)
        self.text, self.said_no_answer, self.refused = "", False, False
        self._waiting = self._written = self._written[end:]
        self._read = 0

    def _free(self, *, last: bool) -> str:
        if self.refused:
            return ""
        free = ""
        while found := _NO_ANSWER.search(self._waiting):
            free += self._waiting[: found.start()]
            self._waiting = self._waiting[found.end() :]
            self.said_no_answer = True
            self.refused = not _WORD.search(self.text + free)
            if self.refused:
                return ""
        cut = len(self._waiting) - (0 if last else self._held())
        if not last and not _WORD.search(self.text + free + self._waiting[:cut]):
            return ""  # marks such as ** wait for the first word
        free, self._waiting = free + self._waiting[:cut], self._waiting[cut:]
        return free

    def _held(self) -> int:
        """How many of the last characters may be the beginning of a mark."""
        tail = self._waiting[-LONGEST_MARK:]
        for start in range(len(tail)):
            if tail[start:] in _BEGINNINGS or tail[start:].lower() in _CLOSINGS:
                return len(tail) - start
        return 0

    def _thinking(self, *, last: bool) -> bool:
        """Whether what waits is a thought that has begun, or may become one; those that have ended are dropped.

        Three characters of an opening mark that are the `last` to come are a thought that was cut off.
        """
        if self.text or self.refused:
            return False
        start = self._waiting.lstrip()
        while end := next((end for begin, end in PAIRS.items() if start[: len(begin)].lower() == begin), ""):
            found = re.search(re.escape(end), start, re.IGNORECASE)
            if found is None:
                return True
            self._waiting = self._written = start[found.end() :]
            self._read = 0
            start = self._waiting.lstrip()
        return (not last or len(start) > 2) and any(begin.startswith(start.lower()) for begin in PAIRS)
