"""A generator's work in threads, for asynchronous callers: searching and embedding are not asynchronous, and need not be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from typing import TypeVar

_T = TypeVar("_T")


async def in_threads(events: Generator[_T, None, None]) -> AsyncGenerator[_T, None]:
    """The values of a generator, each waited for in a thread of the event loop's executor.

    When the caller stops or is cancelled, the generator is closed as soon as the step at hand is over: a thread cannot be
    interrupted.
    """
    step: asyncio.Future[_T | None] | None = None
    try:
        while True:
            step = asyncio.ensure_future(asyncio.to_thread(next, events, None))
            value = await asyncio.shield(step)
            if value is None:
                return
            yield value
    finally:
        if step and not step.done():
            await asyncio.wait([step])
            step.exception()  # nobody else will ask for it
        await asyncio.to_thread(events.close)
