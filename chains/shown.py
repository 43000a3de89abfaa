"""What of a model's words may be shown while they come: not NO_ANSWER, and not what it thinks before it answers."""

from __future__ import annotations

import re

_NO_ANSWER = re.compile(r"NO\\?_ANSWER")
_BEGINNINGS = [mark[:n] for mark in ("NO_ANSWER", r"NO\_ANSWER") for n in range(len(mark) - 1, 0, -1)]
_THINKING, _THOUGHT = "<think>", "</think>"


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
        if self.refused:
            return ""
        if not self.text and not self._begun():
            return ""
        free = ""
        while found := _NO_ANSWER.search(self._waiting):
            before, self._waiting = self._waiting[: found.start()], self._waiting[found.end() :]
            self.said_no_answer = True
            self.refused = not re.search(r"\w", self.text + free + before)
            if self.refused:
                return ""
            free += before
        held = "" if last else next((b for b in _BEGINNINGS if self._waiting.endswith(b)), "")
        cut = len(self._waiting) - len(held)
        free, self._waiting = free + self._waiting[:cut], self._waiting[cut:]
        return free

    def _begun(self) -> bool:
        """Whether the answer's first word is there, behind thoughts and marks."""
        start = self._waiting.lstrip()
        if start.startswith(_THINKING):
            _, thought, self._waiting = start.partition(_THOUGHT) if _THOUGHT in start else ("", "", start)
            return bool(thought) and self._begun()
        return not _THINKING.startswith(start) and re.search(r"\w", start) is not None
