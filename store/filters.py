"""Filters as expressions, never as text: a value can hold any quote and still be only a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from lancedb.expr import Expr, col, lit

from store.errors import InvalidFilter
from store.schema import FILTERABLE

FAR = 9
"""So many pages behind the first of the limits are looked for in chunks that begin before it; the first, unless it is empty."""


@dataclass(frozen=True)
class Conditions:
    """What chunks a search is limited to. `doc_ids` None is every document; `pages` are the first and the last, from 1.

    A chunk is on each page that it holds a part of: `page` is where it begins, "later_pages" in its metadata what begins in it.
    Documents `without_pages` are one page each.
    """

    doc_ids: tuple[str, ...] | None = None
    pages: tuple[int, int] | None = None
    without_pages: tuple[str, ...] = ()

    def expression(self) -> Expr | None:
        """As an expression over the columns; None when there is no limit."""
        parts = [one_of("doc_id", self.doc_ids)] if self.doc_ids is not None else []
        if self.pages is not None:
            first, last = self.pages
            begins = (col("page") >= lit(first)) & (col("page") <= lit(last))
            if first == 1 and self.without_pages:
                begins = begins | one_of("doc_id", self.without_pages)
            parts.append(reduce(lambda a, b: a | b, map(_goes_on_to, range(first, min(last, first + FAR) + 1)), begins))
        return reduce(lambda a, b: a & b, parts) if parts else None


EVERYTHING = Conditions()


def _goes_on_to(page: int) -> Expr:
    """A chunk that begins on an earlier page; its metadata is JSON such as {"later_pages": [[4, 1210]]}."""
    return col("metadata").contains(lit('"later_pages": [[')) & col("metadata").contains(lit(f"[{page}, "))


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
