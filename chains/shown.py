"""What of a model's words may be shown while they come: not NO_ANSWER, and not what it thinks before it answers."""

from __future__ import annotations

import re

_NO_ANSWER = re.compile(r"NO\\?_ANSWER")
_BEGINNINGS = sorted({mark[:n] for mark in ("NO_ANSWER", r"NO\_ANSWER") for n in range(1, len(mark))}, key=len, reverse=True)
_WORD = re.compile(r"\w")
_THOUGHTS = {"<think>": "</think>", "<thinking>": "</thinking>"}


class Shown:
    r"""Takes a model's words in pieces, split anywhere, and gives back what may be shown of them.

    A piece that may turn out to be the beginning of NO_ANSWER (or NO\_ANSWER, as Markdown writes it) waits for the next one.
    Words that begin with it, behind marks such as ** at most, are a refusal: nothing is shown. A leading <think>…</think>, as
    reasoning models without a parser on their server write it, is dropped.
    """

    def __init__(self) -> None:
        self.text = ""
        """All that has been shown."""
        self.said_no_answer = False
        self.refused = False
        """NO_ANSWER was the first word."""
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """What may be shown now that this piece has come."""
        self._waiting += piece
        return self._show(self._free(last=False))

    def end(self) -> str:
        """What may be shown now that nothing comes any more."""
        return self._show(self._free(last=True))

    def _show(self, text: str) -> str:
        self.text += text
        return text

    def _free(self, *, last: bool) -> str:
        if self.refused or self._thinking(last=last):
            return ""
        free = ""
        while found := _NO_ANSWER.search(self._waiting):
            free += self._waiting[: found.start()]
            self._waiting = self._waiting[found.end() :]
            self.said_no_answer = True
            self.refused = not _WORD.search(self.text + free)
            if self.refused:
                return ""
        held = "" if last else next((b for b in _BEGINNINGS if self._waiting.endswith(b)), "")
        cut = len(self._waiting) - len(held)
        if not last and not _WORD.search(self.text + free + self._waiting[:cut]):
            return ""  # marks such as ** wait for the first word
        free, self._waiting = free + self._waiting[:cut], self._waiting[cut:]
        return free

    def _thinking(self, *, last: bool) -> bool:
        """Whether what waits is thought, or may become it; thoughts that have ended are dropped."""
        if self.text:
            return False
        start = self._waiting.lstrip()
        while end := next((end for begin, end in _THOUGHTS.items() if start.startswith(begin)), ""):
            if end not in start:
                return True
            self._waiting = start.partition(end)[2]
            start = self._waiting.lstrip()
        return not last and any(begin.startswith(start) for begin in _THOUGHTS)
