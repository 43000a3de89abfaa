"""Workbooks of Excel 97 (BIFF8), record by record: nothing that is installed writes them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from tests.ingest.ole import make_ole

Value = str | float | bool
_BUILT_IN = {"General": 0, "0.00": 2, "#,##0": 3, "0%": 9, "0.00%": 10, "date": 14}


def make_xls(
    sheets: Mapping[str, Sequence[Sequence[tuple[Value, str] | None]]],
    *,
    merged: Sequence[tuple[int, int, int, int]] = (),
    hidden: Sequence[str] = (),
    encrypted: bool = False,
) -> bytes:
    """A workbook; a cell is a value with the name of its format. `merged` are first, last row, first, last column, from 0."""
    bodies = [_sheet(rows, merged) for rows in sheets.values()]
    head = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    if encrypted:
        head += _record(0x2F, b"\1\0\1\0\1\0" + bytes(48))
    head += _record(0x42, struct.pack("<H", 1200))
    head += b"".join(_record(0x31, struct.pack("<HHHHHBBBB", 200, 0, 8, 400, 0, 0, 0, 0, 0) + b"\x01\x00A") for _ in range(5))
    head += b"".join(_record(0xE0, struct.pack("<HHH", 0, number, 0) + bytes(14)) for number in _BUILT_IN.values())
    names = [name.encode("utf-16-le") for name in sheets]
    place = len(head) + sum(4 + 8 + len(name) for name in names) + 4
    for title, name, body in zip(sheets, names, bodies, strict=True):
        head += _record(0x85, struct.pack("<IBBBB", place, title in hidden, 0, len(title), 1) + name)
        place += len(body)
    return make_ole({"Workbook": head + _record(0x0A, b"") + b"".join(bodies)})


def _sheet(rows: Sequence[Sequence[tuple[Value, str] | None]], merged: Sequence[tuple[int, int, int, int]]) -> bytes:
    body = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            body += _cell(number, place, *cell) if cell else b""
    if merged:
        body += _record(0xE5, struct.pack("<H", len(merged)) + b"".join(struct.pack("<HHHH", *area) for area in merged))
    return body + _record(0x0A, b"")


def _cell(row: int, column: int, value: Value, kind: str) -> bytes:
    where = struct.pack("<HHH", row, column, list(_BUILT_IN).index(kind))
    if isinstance(value, str):
        return _record(0x204, where + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
    if isinstance(value, bool):
        return _record(0x205, where + struct.pack("<BB", value, 0))
    return _record(0x203, where + struct.pack("<d", value))


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data
