"""What a table holds, as far as searching must know: so that no search pays for a filter that would keep every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from lancedb.expr import Expr, col, lit
from lancedb.table import Table

from store.filters import one_of

CHUNK = "chunk"
CHUNKS_ONLY = (CHUNK,)


@dataclass(frozen=True)
class Census:
    """Counts of one state of a table: rows that are switched off, and rows that are no chunks but written for one."""

    revision: int
    rows: int
    disabled: int
    written: int

    @classmethod
    def of(cls, table: Table, revision: int) -> Census:
        """Count."""
        disabled = table.count_rows((col("enabled") == lit(False)).to_sql())
        written = table.count_rows((col("kind") != lit(CHUNK)).to_sql())
        return cls(revision, table.count_rows(), disabled, written)

    def condition(self, where: Expr | None = None, *, kinds: Sequence[str] = CHUNKS_ONLY) -> Expr | None:
        """The condition for rows of these kinds that are switched on and fit `where`; None when that is all rows."""
        parts = [where] if where is not None else []
        if self.disabled:
            parts.append(col("enabled") == lit(True))
        if self.written:
            parts.append(one_of("kind", kinds))
        return reduce(lambda a, b: a & b, parts) if parts else None
