"""Filters as expressions, never as text: a value can hold any quote and still be only a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from lancedb.expr import Expr, col, lit

from store.errors import InvalidFilter
from store.schema import FILTERABLE


def build_filter(conditions: Mapping[str, Any] | None, *, enabled_only: bool = True) -> Expr | None:
    """All conditions together: {"source": "a.pdf"} is equality, {"page": [1, 2]} one of several. Raises InvalidFilter."""
    parts = [col("enabled") == lit(True)] if enabled_only else []
    for name, value in (conditions or {}).items():
        if name not in FILTERABLE:
            raise InvalidFilter(f"{name!r} cannot be filtered. Fields that can: {', '.join(FILTERABLE)}.")
        parts.append(
            one_of(name, value) if isinstance(value, Sequence) and not isinstance(value, str) else col(name) == lit(value)
        )
    return reduce(lambda a, b: a & b, parts) if parts else None


def one_of(name: str, values: Sequence[Any]) -> Expr:
    """`name` is one of the values; of none, never."""
    return col(name).isin([lit(value) for value in values]) if values else lit(False)
