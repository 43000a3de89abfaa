"""How fast work goes, and how long the rest will take, by what was done lately."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 30.0
"""Long enough to even out batches, short enough to forget vectors that came from the cache, and another load of the machine."""
_FEWEST_SECONDS = 0.5


class Pace:
    """Work of `total`, in whatever unit is proportional to the time that it takes."""

    def __init__(self, total: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._marks: deque[tuple[float, float]] = deque([(clock(), 0.0)])

    def reached(self, done: float) -> None:
        """So much is done by now."""
        now = self._clock()
        self._marks.append((now, done))
        while len(self._marks) > 2 and self._marks[1][0] < now - WINDOW_SECONDS:
            self._marks.popleft()

    @property
    def seconds_left(self) -> float | None:
        """None as long as too little is known."""
        (since, before), (now, done) = self._marks[0], self._marks[-1]
        if now - since < _FEWEST_SECONDS or done <= before:
            return None
        return (self._total - done) * (now - since) / (done - before)
