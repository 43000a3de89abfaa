"""What calls of models took, by role: how many, their tokens as the server counted them, what they cost, how long they waited.

The meter of a question travels in a context variable, as its ledger does (retrievers/ledger.py): whatever is called inside
`metering`, also in the threads of LangChain's executors, counts for it, and nothing has to hand it on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import asdict, dataclass
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from models import stopping
from models.errors import ModelError
from settings.models import Price, PricesSettings

MILLION = 1_000_000
_P = ParamSpec("_P")
_T = TypeVar("_T")
_COUNTS = ("calls", "failed", "uncounted", "input_tokens", "output_tokens", "cached_tokens", "waited_seconds")


class Tokens(NamedTuple):
    """Tokens of one call; `cached` are those of the input that the server had read before."""

    input: int
    output: int
    cached: int = 0

    @classmethod
    def of(cls, usage: Mapping[str, Any] | None) -> Tokens | None:
        """From LangChain's usage_metadata; None where the server told nothing."""
        if not usage:
            return None
        return cls(usage["input_tokens"], usage["output_tokens"], (usage.get("input_token_details") or {}).get("cache_read") or 0)


@dataclass
class Used:
    """All calls of one model in one role. Of `uncounted` ones nobody said how many tokens they took, such as of stopped ones."""

    role: str
    model: str
    place: str
    calls: int = 0
    failed: int = 0
    uncounted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    waited_seconds: float = 0.0

    def cost(self, price: Price | None) -> float | None:
        """What the counted tokens cost; None without a price, or when no call was counted."""
        if price is None or self.uncounted == self.calls:
            return None
        cached_price = price.input if price.cached_input is None else price.cached_input
        fresh = self.input_tokens - self.cached_tokens
        return (fresh * price.input + self.cached_tokens * cached_price + self.output_tokens * price.output) / MILLION


class Meter:
    """Adds up calls. Safe to share between threads."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str, str], Used] = {}
        self._lock = threading.Lock()

    def count(self, role: str, model: str, place: str, *, tokens: Tokens | None, failed: bool = False) -> None:
        """Count a call."""
        with self._lock:
            used = self._of(role, model, place)
            used.calls += 1
            used.failed += failed
            used.uncounted += tokens is None
            used.input_tokens += tokens.input if tokens else 0
            used.output_tokens += tokens.output if tokens else 0
            used.cached_tokens += min(tokens.cached, tokens.input) if tokens else 0

    def wait(self, role: str, model: str, place: str, seconds: float) -> None:
        """Note that a call waited for its turn (llm.calls_per_minute)."""
        with self._lock:
            self._of(role, model, place).waited_seconds += seconds

    def as_json(self, prices: PricesSettings) -> dict[str, Any]:
        """Sums, and the same by role under `by_role`; {} when nothing was called.

        `cost` is that of the calls that have a price and were counted, None when none was; `unpriced_calls` are the others.
        """
        rows = [(used, used.cost(prices.of(used.model))) for used in self._used.values() if used.calls]
        if not rows:
            return {}
        sums = {name: sum(getattr(used, name) for used, _ in rows) for name in _COUNTS}
        costs = [cost for _, cost in rows if cost is not None]
        return sums | {
            "total_tokens": sums["input_tokens"] + sums["output_tokens"],
            "waited_seconds": round(sums["waited_seconds"], 3),
            "cost": _money(sum(costs)) if costs else None,
            "currency": prices.currency,
            "unpriced_calls": sum(used.calls if cost is None else used.uncounted for used, cost in rows),
            "by_role": [
                asdict(used) | {"waited_seconds": round(used.waited_seconds, 3), "cost": None if cost is None else _money(cost)}
                for used, cost in rows
            ],
        }

    def _of(self, role: str, model: str, place: str) -> Used:
        return self._used.setdefault((role, model, place), Used(role, model, place))


def _money(amount: float) -> float:
    return round(amount, 9)


_current: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metering() -> Iterator[Meter]:
    """A new meter, which counts what is called inside the block."""
    meter = Meter()
    token = _current.set(meter)
    try:
        yield meter
    finally:
        _current.reset(token)


def current() -> Meter:
    """The meter of what is being done, or one that nobody reads."""
    return _current.get() or Meter()


def metered(work: Callable[_P, Iterator[_T]]) -> Callable[_P, Generator[_T, None, None]]:
    """A generator whose calls count in a meter of their own, whoever iterates it, and in whichever threads.

    It runs in a context of its own: a generator's own changes of context variables would show between its steps.
    """

    @wraps(work)
    def apart(*args: _P.args, **kwargs: _P.kwargs) -> Generator[_T, None, None]:
        def steps() -> Generator[_T, None, None]:
            with metering():
                yield from work(*args, **kwargs)

        context, values = copy_context(), steps()
        try:
            while (value := context.run(next, values, None)) is not None:
                yield value
        finally:
            context.run(values.close)

    return apart


@dataclass
class Call:
    """A call under way; `tokens` are set when the server has told them."""

    tokens: Tokens | None = None


@contextmanager
def counted(role: str, model: str, place: str) -> Iterator[Call]:
    """Count the call that is made inside, however it ends."""
    meter, call, failed = current(), Call(), False
    try:
        yield call
    except ModelError:
        failed = not stopping.current().requested  # what a person stopped has not failed
        raise
    finally:
        meter.count(role, model, place, tokens=call.tokens, failed=failed)


def summed(usages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The usage of several answers as one: sums, and under `costs` the amount in each currency; {} when nothing was called."""
    counts: dict[str, Any] = dict.fromkeys((*_COUNTS, "total_tokens", "unpriced_calls"), 0)
    costs: dict[str, float] = {}
    for usage in usages:
        for name in counts:
            counts[name] += usage.get(name) or 0
        for currency, cost in _costs(usage).items():
            costs[currency] = _money(costs.get(currency, 0.0) + cost)
    return counts | {"costs": costs} if counts["calls"] else {}


def _costs(usage: Mapping[str, Any]) -> Mapping[str, float]:
    """Of one answer or of a sum."""
    alone = {} if usage.get("cost") is None else {usage["currency"]: usage["cost"]}
    return usage.get("costs") or alone
