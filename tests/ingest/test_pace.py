"""How long the rest takes is told truly, whatever came before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.pace import Pace


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_is_told_before_anything_is_known() -> None:
    clock = Clock()
    pace = Pace(1000, clock)
    assert pace.seconds_left is None
    clock.now += 0.1
    pace.reached(10)
    assert pace.seconds_left is None, "too little"
    clock.now += 10
    pace.reached(10)
    assert Pace(1000, clock).seconds_left is None


@given(
    speed=st.floats(0.1, 1000),
    jitter=st.lists(st.floats(0.9, 1.1), min_size=100, max_size=100),
    cached=st.integers(0, 60),
)
def test_the_time_left_is_true_within_a_quarter(speed: float, jitter: list[float], cached: int) -> None:
    """Also when the first part came from the cache, a hundred times as fast."""
    clock, batch = Clock(), 64.0
    times = [batch / speed * factor / (100 if number < cached else 1) for number, factor in enumerate(jitter)]
    pace = Pace(100 * batch, clock)
    settled = clock.now + sum(times[:cached]) + 31
    for number, seconds in enumerate(times):
        left = pace.seconds_left
        rest = sum(times[number:])
        if left is not None and clock.now > settled and number >= cached + 2:
            assert 0.75 * rest <= left <= 1.25 * rest + 1e-9
        clock.now += seconds
        pace.reached((number + 1) * batch)
    assert pace.seconds_left in (None, 0)
