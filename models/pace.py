"""How many calls a minute a model gets (llm.calls_per_minute): LangChain's limiter, and how long each call waited for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

from langchain_core.rate_limiters import BaseRateLimiter, InMemoryRateLimiter

LOOK_EVERY = 0.05
"""Seconds between two looks at whether a waiting call may go."""
AT_ONCE = 4
"""A quarter of a minute's calls may be made at once, after a pause."""


class Paced(BaseRateLimiter):
    """A limiter that tells `waited` the seconds that a call had to wait, if it had to."""

    def __init__(self, limiter: BaseRateLimiter, waited: Callable[[float], None]) -> None:
        self._limiter, self._waited = limiter, waited

    def acquire(self, *, blocking: bool = True) -> bool:
        """Wait until a call may be made."""
        if self._limiter.acquire(blocking=False):
            return True
        begin = time.monotonic()
        got = self._limiter.acquire(blocking=blocking)
        self._waited(time.monotonic() - begin)
        return got

    async def aacquire(self, *, blocking: bool = True) -> bool:
        """Wait until a call may be made."""
        if await self._limiter.aacquire(blocking=False):
            return True
        begin = time.monotonic()
        got = await self._limiter.aacquire(blocking=blocking)
        self._waited(time.monotonic() - begin)
        return got


@lru_cache(maxsize=64)
def limiter(url: str, model: str, calls_per_minute: float) -> InMemoryRateLimiter:  # noqa: ARG001 - the cache reads them
    """The one limiter of this process for a model at an address: never more than so many calls within a minute.

    A bucket that holds b calls and gets n - b more a minute gives away at most n in any minute. LangChain's begins empty, so
    that the very first call would wait; ours begins full.
    """
    burst = max(1, int(calls_per_minute // AT_ONCE))
    refill = calls_per_minute - burst if burst > 1 else calls_per_minute
    made = InMemoryRateLimiter(requests_per_second=refill / 60, check_every_n_seconds=LOOK_EVERY, max_bucket_size=burst)
    made.available_tokens = float(burst)
    return made
