"""Many questions in one run: some at the same time, each answer a line of JSON, in the order of the questions, as they come."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chains.questions import BatchQuestion
from chains.turn import Turn
from models import ModelError
from models.usage import summed
from settings.cli import WrongUse
from store.errors import StoreError

AHEAD = 4
"""How many times `at_once` questions may be answered before those that stand before them: so a slow one holds up few."""
Line = dict[str, Any]
_FAILURES = (StoreError, ModelError, RuntimeError, ValueError, OSError)
"""What may go wrong with one question while others are answered: LanceDB's errors are RuntimeError, ValueError and OSError."""


@dataclass
class Tally:
    """What became of the questions: `failures` are those without an answer, and those whose model failed (the answer quotes)."""

    answered: int = 0
    refused: int = 0
    failed: int = 0
    cached: int = 0
    usage: dict[str, Any] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Count a line."""
        status, error = line["status"], line.get("error")
        setattr(self, status, getattr(self, status) + 1)
        self.cached += bool(line.get("cached"))
        self.usage = summed([self.usage, line.get("usage") or {}])
        if error:
            reason = (error.get("params") or {}).get("message", "")
            self.failures.append({"line": line["line"], "status": "failed", "code": error["code"], "reason": reason})


class Batch:
    """Answers questions, at most `at_once` at the same time. `anew`: without answers that were kept."""

    def __init__(self, turn: Turn, *, at_once: int, anew: bool = False) -> None:
        self._turn, self._at_once, self._anew = turn, at_once, anew

    def run(self, asked: Sequence[BatchQuestion], write: Callable[[Line], None]) -> Tally:
        """Answer the questions and write each answer, until all are written. What is stopped leaves what was written."""
        return asyncio.run(self._run(asked, write))

    async def _run(self, asked: Sequence[BatchQuestion], write: Callable[[Line], None]) -> Tally:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._at_once))
        tally = Tally()
        async with aclosing(self.answers(asked)) as lines:
            async for line in lines:
                write(line)
                tally.add(line)
        return tally

    async def answers(self, asked: Sequence[BatchQuestion]) -> AsyncGenerator[Line, None]:
        """A line for each question, in their order, as soon as it and all before it are there."""
        gate, waiting = asyncio.Semaphore(self._at_once), deque[asyncio.Task[Line]]()
        try:
            for each in asked:
                waiting.append(asyncio.create_task(self._line(each, gate)))
                while len(waiting) >= AHEAD * self._at_once:
                    yield await waiting[0]
                    waiting.popleft()
            while waiting:
                yield await waiting[0]
                waiting.popleft()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _line(self, asked: BatchQuestion, gate: asyncio.Semaphore) -> Line:
        async with gate:
            begin = time.perf_counter()
            told = {"line": asked.line, **({} if asked.id is None else {"id": asked.id})}
            try:
                answer = await self._answer(asked)
            except _FAILURES as error:
                code = error.code if isinstance(error, ModelError) else "failed"
                answer = {"status": "failed", "question": asked.question, "error": _error(code, str(error))}
            return told | {"seconds": round(time.perf_counter() - begin, 3)} | answer

    async def _answer(self, asked: BatchQuestion) -> Line:
        if asked.wrong:
            return {"status": "failed", "question": asked.question, "error": _error("no_question", asked.wrong)}
        answer = await self._turn.aask(asked.question, asked.history, anew=self._anew)
        return {"status": "refused" if answer["refused"] else "answered"} | answer


def already(out: Path, asked: Sequence[BatchQuestion]) -> Collection[int]:
    """The numbers of the lines that OUT has an answer to, after a last line that was not written whole has been cut off.

    Raises WrongUse when OUT holds anything but answers to these questions.
    """
    if not out.exists():
        return ()
    data = out.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    questions = {each.line: each.question for each in asked}
    done: set[int] = set()
    for number, text in enumerate(whole.splitlines(), start=1):
        try:
            line = json.loads(text)
            known = questions[line["line"]] == line["question"]
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise WrongUse(f"Line {number} of {out} is no answer to a question of this batch. Name another file with --out.")
        done.add(line["line"])
    if len(whole) < len(data):
        with out.open("r+b") as file:
            file.truncate(len(whole))
    return done


def _error(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "params": {"message": message}}
