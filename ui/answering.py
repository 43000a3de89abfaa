"""An answer in the making, in a thread of its own: a page that is drawn anew goes on with it, and Stop ends it at once.

A run of the page's script ends with every click, and with the tab; an answer that was written in it would be lost then, though a
model's words may have been paid for. The thread knows nothing of Streamlit, and ends with the answer, which it keeps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from models.stopping import Stop, stoppable

Events = Generator[dict[str, Any], None, None]
Answer = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """What is there so far: the retrieval once it is made, then the words."""

    found: Mapping[str, Any] | None = None
    text: str = ""


@dataclass
class Answering:
    """Answers a `question` by the events that `begin` gives (chains/turn.py), and hands the answer to `keep`.

    Whatever fails becomes an answer that names it by `explain`.
    """

    question: str
    begin: Callable[[], Events]
    keep: Callable[[Answer], None]
    explain: Callable[[Exception], str]
    _progress: Progress = field(default_factory=Progress)
    _stop: Stop = field(default_factory=Stop)
    _done: threading.Event = field(default_factory=threading.Event)
    failure: str = ""
    """Why the answer could not be kept."""

    def start(self) -> Answering:
        """Begin, in the context of the caller."""
        context = copy_context()
        threading.Thread(target=lambda: context.run(self._work), name=f"answer to {self.question[:20]!r}", daemon=True).start()
        return self

    @property
    def progress(self) -> Progress:
        """What is there now."""
        return self._progress

    def stop(self) -> None:
        """Have it end with what is written; what waits for a model does so no longer."""
        self._stop.request()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether the answer is kept."""
        return self._done.wait(seconds)

    def _work(self) -> None:
        try:
            self.keep(self._answer())
        except Exception as error:  # noqa: BLE001 - a thread has nobody above it: the log is told, and the question stays open
            self.failure = self.explain(error)
        finally:
            self._done.set()

    def _answer(self) -> Answer:
        """The answer as JSON; an unexpected failure becomes one that names it."""
        answer: Answer = {"question": self.question, "answer": "", "refused": False, "contexts": [], "citations": []}
        try:
            with stoppable(self._stop), closing(self.begin()) as events:
                for event in events:
                    if event["event"] == "retrieved":
                        answer |= event["retrieval"]
                        self._progress = Progress(event["retrieval"])
                    elif event["event"] == "token":
                        before = "" if event.get("anew") else self._progress.text
                        self._progress = Progress(self._progress.found, before + event["text"])
                    else:
                        answer |= event["answer"]
        except Exception as error:  # noqa: BLE001 - whatever happened, the question stays and the person is told
            failed = {"code": "unexpected", "params": {"detail": self.explain(error)}}
            answer |= {"answer": self._progress.text, "error": failed}
        return answer
