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


def byte_words(count: int) -> str:
    """Bytes for people: "0 B", "812 B", "1.4 kB", "23 MB"; a kB has 1,000 bytes."""
    value, units = float(count), iter(("B", "kB", "MB", "GB", "TB"))
    unit = next(units)
    while value >= 999.5 and unit != "TB":
        value, unit = value / 1000, next(units)
    return f"{value:.1f} {unit}" if unit != "B" and value < 9.95 else f"{value:.0f} {unit}"


def count_words(count: int) -> str:
    """A number with its thousands apart: "12,345"."""
    return f"{count:,}"


def clock_words(seconds: float) -> str:
    """A length of time on a clock: "0:07", "12:30", "1:05:00"."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def money_words(amount: float) -> str:
    """An amount of money, with two digits that count at least: "12.34", "0.0018", "0"."""
    if amount == 0:
        return "0"
    places = max(2, 1 - Decimal(str(amount)).adjusted())
    return f"{amount:,.{places}f}"
