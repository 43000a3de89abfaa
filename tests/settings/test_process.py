"""How a process that answers questions collects its garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from settings.process import collect_rarely


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_what_is_there_is_looked_at_no_more_and_what_comes_is_still_collected() -> None:
    gc.unfreeze()
    collect_rarely()
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold()[0] > 700
    assert gc.isenabled()
    loop: list[object] = []
    loop.append(loop)
    del loop
    assert gc.collect() >= 1
