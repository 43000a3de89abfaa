"""Figures for people: rounded so that they say which of two is the larger."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal

_FEWEST, _MOST = 2, 6


def against(value: float, needed: float) -> tuple[str, str]:
    """A value and what is needed of it, with as many decimals as the latter has, from 2 to 6.

    The value is rounded down, so it shows below what is needed exactly when it is below: 0.8996 of 0.9 is "0.89" of "0.90".
    """
    limit = Decimal(str(round(needed, _MOST))).normalize()
    places = max(_FEWEST, -int(limit.as_tuple().exponent))
    step = Decimal(1).scaleb(-places)
    return str(Decimal(str(value)).quantize(step, ROUND_FLOOR)), str(limit.quantize(step))
