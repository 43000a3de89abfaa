"""Killed at random moments, and two processes at once, for real: the benchmark's runs at a small size."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import fault_edits, faults


def test_a_plan_has_every_kind_of_step_in_an_order_that_makes_sense() -> None:
    steps = faults.plan(10)
    assert [sum(step[0] == kind for step in steps) for kind in ("add", "replace", "delete")] == [10, 4, 2]
    for name in ("0.txt", "5.txt"):
        kinds = [kind for kind, of, _ in steps if of == name]
        assert (kinds[0], kinds[-1]) == ("add", "delete")


@pytest.mark.slow
def test_killed_while_adding_replacing_and_deleting(tmp_path: Path) -> None:
    found = faults.killed(tmp_path, documents=8, kills=2, seed=3)
    assert found.problems == []
    assert found.kills >= 1


@pytest.mark.slow
def test_killed_while_working_the_queue_off(tmp_path: Path) -> None:
    found = faults.killed_queue(tmp_path, documents=8, kills=1, seed=4)
    assert found.problems == []
    assert found.kills >= 1


@pytest.mark.slow
def test_killed_while_switching_and_correcting(tmp_path: Path) -> None:
    found = fault_edits.killed_edits(tmp_path, documents=3, kills=2, seed=5)
    assert found.problems == []
    assert found.kills >= 1


@pytest.mark.slow
def test_two_processes_at_once(tmp_path: Path) -> None:
    assert faults.crowded(tmp_path, documents=10).problems == []
