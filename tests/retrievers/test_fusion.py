"""Fusion: the three formulas by hand, and what each edge gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.fusion import fuse
from settings import Fusion

LEGS = st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-50, 50), max_size=8), min_size=1, max_size=3)


def test_rrf_by_hand() -> None:
    fused = fuse([{"a": 9.0, "b": 1.0}, {"b": 0.9}], [1, 1], method=Fusion.RRF, c=60)
    assert fused == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61})
    assert list(fused) == ["b", "a"]


def test_min_max_by_hand() -> None:
    fused = fuse([{"a": 9.0, "b": 5.0, "c": 1.0}, {"c": 0.9, "a": 0.7}], [0.25, 0.75], method=Fusion.MIN_MAX, c=60)
    assert fused == pytest.approx({"a": 0.25, "b": 0.125, "c": 0.75})


def test_standard_score_by_hand() -> None:
    # scores 4, 2, 0: mean 2, deviation sqrt(8 / 3); shifted to start at 0: (s - 0) / deviation
    fused = fuse([{"a": 4.0, "b": 2.0, "c": 0.0}], [1], method=Fusion.STANDARD, c=60)
    assert fused == pytest.approx({"a": 4 / (8 / 3) ** 0.5, "b": 2 / (8 / 3) ** 0.5, "c": 0.0})


def test_standard_score_lets_a_leg_whose_best_stands_out_count_more() -> None:
    sharp = {"x": 10.0} | {f"n{i}": 1.0 + i / 100 for i in range(9, 0, -1)}
    flat = {"y": 10.0} | {f"m{i}": 9.9 - i / 10 for i in range(9)}
    fused = fuse([sharp, flat], [1, 1], method=Fusion.STANDARD, c=60)
    assert fused["x"] > fused["y"]


def test_the_only_one_of_many_stands_out_by_how_many_have_nothing() -> None:
    # score 3 and 15 zeros: mean 3 / 16, deviation 3 sqrt(15) / 16; shifted to start at 0: 3 / deviation
    fused = fuse([{"a": 3.0}], [1], method=Fusion.STANDARD, c=60, without=[15])
    assert fused == pytest.approx({"a": 16 / 15**0.5})
    others = {"b": 0.91} | {f"n{i}": 0.9 - i / 1000 for i in range(15)}  # b stands out by 4.09, a by 4.13
    assert next(iter(fuse([{"a": 3.0}, others], [1, 1], method=Fusion.STANDARD, c=60, without=[15, 0]))) == "a"
    assert next(iter(fuse([{"a": 3.0}, others], [1, 1], method=Fusion.STANDARD, c=60))) == "b"


@pytest.mark.parametrize("method", list(Fusion))
def test_a_leg_without_weight_brings_nothing(method: Fusion) -> None:
    assert list(fuse([{"a": 1.0}, {"b": 1.0}], [0, 1], method=method, c=60)) == ["b"]


@pytest.mark.parametrize("method", list(Fusion))
def test_empty_legs_give_nothing(method: Fusion) -> None:
    assert fuse([{}, {}], [1, 1], method=method, c=60) == {}


@pytest.mark.parametrize("method", [Fusion.MIN_MAX, Fusion.STANDARD])
def test_a_single_candidate_and_equal_scores_count_as_found(method: Fusion) -> None:
    assert fuse([{"a": 3.0}, {}], [1, 1], method=method, c=60)["a"] > 0
    assert set(fuse([{"a": 3.0, "b": 3.0}], [1], method=method, c=60).values()) == {1.0}


@given(LEGS, st.sampled_from(list(Fusion)))
def test_every_candidate_comes_once_best_first(legs: list[dict[str, float]], method: Fusion) -> None:
    ordered = [dict(sorted(leg.items(), key=lambda item: -item[1])) for leg in legs]
    fused = fuse(ordered, [1.0] * len(legs), method=method, c=60)
    assert set(fused) == {key for leg in legs for key in leg}
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
