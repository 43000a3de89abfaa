"""Tables of an older schema are brought up to date when they are opened; a copy of what they were is kept beside them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lancedb
import pyarrow as pa

from store import packed
from store.arrow import arrow_schema

if TYPE_CHECKING:
    from lancedb.table import Table

BATCH = 2000
MAKING, KEPT = "migrating", "schema-1"
"""Folders beside the table: the new one until it is complete, and the old one from then on."""


def is_outdated(table: Table) -> bool:
    """Whether the table was made before rows had a packed copy (schema 1)."""
    return packed.COLUMN not in table.schema.names


def migrate(folder: Path, name: str) -> None:
    """Make the table anew with today's columns, then put it in place of the old one. To be called under the table's lock.

    Nothing is embedded again. A process that is killed on the way leaves the old table as it is, or a new one that `finish` puts
    in its place.
    """
    shutil.rmtree(folder / MAKING, ignore_errors=True)
    old = lancedb.connect(str(folder)).open_table(name)
    dimension = old.schema.field("vector").type.list_size
    new = lancedb.connect(str(folder / MAKING)).create_table(name, schema=arrow_schema(dimension))
    total = old.count_rows()
    for start in range(0, total, BATCH):
        new.add(_packed(old.take_offsets(list(range(start, min(total, start + BATCH)))).to_arrow(), new.schema))
    (folder / KEPT).mkdir(exist_ok=True)
    shutil.rmtree(_place(folder / KEPT, name), ignore_errors=True)
    _place(folder, name).rename(_place(folder / KEPT, name))
    finish(folder, name)


def finish(folder: Path, name: str) -> None:
    """Put a new table in place if the old one is moved away already: only then is it complete."""
    made, place = _place(folder / MAKING, name), _place(folder, name)
    if made.exists() and not place.exists() and _place(folder / KEPT, name).exists():
        made.rename(place)
        shutil.rmtree(folder / MAKING, ignore_errors=True)


def clear_torso(folder: Path, name: str) -> None:
    """Remove a table without any version: who made it was killed before its first commit, so nothing is in it.

    LanceDB lists it and cannot open it. To be called under the table's lock, which its makers hold.
    """
    place = _place(folder, name)
    if place.exists() and not any((place / "_versions").glob("*.manifest")):
        shutil.rmtree(place)


def _packed(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    values = [packed.pack(row) for row in rows.select(packed.READ).to_pylist()]
    return rows.append_column(schema.field(packed.COLUMN), pa.array(values, pa.large_binary())).select(schema.names).cast(schema)


def _place(folder: Path, name: str) -> Path:
    return folder / f"{name}.lance"
