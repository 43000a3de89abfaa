"""Small compound files (OLE), made as bytes: what Outlook messages are."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Folder = Mapping[str, "bytes | Folder"]


def make_ole(root: Folder) -> bytes:
    """A compound file of these streams and folders."""
    entries = [_Entry("Root Entry", 5, b"")]
    _add(entries, 0, root)
    sectors, small = _Sectors(_SECTOR), _Sectors(_SMALL)
    for entry in entries[1:]:
        entry.start = (small if len(entry.data) < _CUTOFF else sectors).store(entry.data)
    entries[0].data = b"".join(small.parts)
    entries[0].start = sectors.store(entries[0].data)
    first_small = sectors.store(struct.pack(f"<{len(small.next)}I", *small.next)) if small.next else _END
    first_directory = sectors.store(b"".join(entry.packed() for entry in entries))
    count = -(-(len(sectors.next) + 4) // (_SECTOR // 4))
    table = [*sectors.next, *[_FAT] * count]
    head = (0x3E, 3, 0xFFFE, 9, 6, 0, count, first_directory, 0, _CUTOFF)
    small_count = -(-4 * len(small.next) // _SECTOR)
    header = struct.pack("<8s16xHHHHH6xIIIIIIIII", _MAGIC, *head, first_small, small_count, _END, 0)
    header += struct.pack(f"<{count}I", *(len(sectors.parts) + number for number in range(count)))
    fat = struct.pack(f"<{len(table)}I", *table).ljust(count * _SECTOR, b"\xff")
    return header.ljust(_SECTOR, b"\xff") + b"".join(sectors.parts) + fat


@dataclass
class _Entry:
    """A stream (2), a folder (1) or the root (5), with the numbers of its right neighbour and its first child."""

    name: str
    kind: int
    data: bytes
    right: int = _FREE
    child: int = _FREE
    start: int = _END

    def packed(self) -> bytes:
        wide = self.name.encode("utf-16-le") + b"\0\0"
        tree = (len(wide), self.kind, 1, _FREE, self.right, self.child)
        return struct.pack("<64sHBBIII36xIII", wide, *tree, self.start, len(self.data), 0)


@dataclass
class _Sectors:
    """Sectors of one size, and for each the number of the next one of its stream."""

    size: int
    parts: list[bytes] = field(default_factory=list)
    next: list[int] = field(default_factory=list)

    def store(self, data: bytes) -> int:
        first = len(self.parts)
        for place in range(0, len(data), self.size):
            self.parts.append(data[place : place + self.size].ljust(self.size, b"\0"))
            self.next.append(len(self.parts))
        if data:
            self.next[-1] = _END
        return first if data else _END


def _add(entries: list[_Entry], parent: int, folder: Folder) -> None:
    """The children of a folder, each the right neighbour of the one before."""
    before = None
    for name, content in folder.items():
        number = len(entries)
        entries.append(_Entry(name, 2, content) if isinstance(content, bytes) else _Entry(name, 1, b""))
        if before is None:
            entries[parent].child = number
        else:
            entries[before].right = number
        before = number
        if not isinstance(content, bytes):
            _add(entries, number, content)


def make_msg(
    properties: Mapping[int, str | bytes],
    *,
    code_page: int = 0,
    sent: int = 0,
    attachments: list[Folder] | None = None,
    header: int = 32,
) -> Folder:
    """An Outlook message: text as UTF-16, bytes as text in the code page, or as they are for bodies that are no text."""
    fixed = {0x3FFD: struct.pack("<Q", code_page), 0x0039: struct.pack("<Q", sent)}
    records = b"".join(struct.pack("<HHI8s", 3, number, 0, value) for number, value in fixed.items() if any(value))
    folder: dict[str, bytes | Folder] = {"__properties_version1.0": bytes(header) + records}
    for number, value in properties.items():
        kind = "001F" if isinstance(value, str) else "0102" if number in (0x1009, 0x1013, 0x3701) else "001E"
        folder[f"__substg1.0_{number:04X}{kind}"] = value.encode("utf-16-le") if isinstance(value, str) else value
    for number, attachment in enumerate(attachments or []):
        folder[f"__attach_version1.0_#{number:08X}"] = attachment
    return folder
