"""A figure that is too low looks too low."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.figures import against


@pytest.mark.parametrize(
    ("value", "needed", "shown"),
    [
        (0.8996, 0.9, ("0.89", "0.90")),
        (0.9, 0.9, ("0.90", "0.90")),
        (0.9049, 0.9, ("0.90", "0.90")),
        (0.8949, 0.895, ("0.894", "0.895")),
        (0.0, 1.2, ("0.00", "1.20")),
        (1.05, 1, ("1.05", "1.00")),
        (0.2999999, 0.1 + 0.2, ("0.29", "0.30")),
    ],
)
def test_what_is_shown(value: float, needed: float, shown: tuple[str, str]) -> None:
    assert against(value, needed) == shown


@given(st.floats(0, 2), st.integers(0, 200))
def test_below_shows_below_and_enough_shows_enough(value: float, hundredths: int) -> None:
    needed = hundredths / 100
    reached, limit = map(float, against(value, needed))
    assert (reached < limit) == (value < needed)
