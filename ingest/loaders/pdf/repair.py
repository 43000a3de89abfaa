"""A PDF that lost its end, where it says where its objects lie and what their root is: that is put together anew.

What is whole of the file stays as it is; behind it come the objects that lay packed in object streams, which pdfium finds by the
lost table only, a page tree where that is not whole, and a trailer (ISO 32000-1, 7.5).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})[ \t\r\n]+\d{1,5}[ \t\r\n]+obj\b")
_END = re.compile(rb"\bendobj\b|\bstream\r?\n")
_REFERENCE = re.compile(rb"(\d{1,9})\s+\d{1,5}\s+R\b")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_LENGTH = re.compile(rb"/First\s+(\d{1,9})\b")
_ENCRYPTED = re.compile(rb"/Encrypt\b|/Filter\s*/Standard\b")
_INFO, _NO_INFO = re.compile(rb"/(?:Title|Author|Producer|CreationDate)\b"), re.compile(rb"/(?:Type|Subtype|Parent)\b")
_MOST_UNPACKED = 2**26
_LONGEST = 2**20
"""Bytes that are looked through of an object without a stream."""


def repaired(data: bytes) -> bytes | None:
    """The file with an end made anew; None where no page is found, or where it is encrypted, as how was told at its end."""
    if _ENCRYPTED.search(data):
        return None
    whole = _without_torso(data)
    objects = dict(_objects(whole))
    packed = {number: body for number, body in _packed(whole) if number not in objects}
    objects |= packed
    catalog = next((number for number, body in reversed(objects.items()) if _is(body, b"Catalog")), None)
    pages, is_tree_whole = _pages(objects, catalog)
    if not pages:
        return None
    added = dict(packed)
    if not is_tree_whole:
        catalog = max(objects) + 1
        kids = b" ".join(b"%d 0 R" % page for page in pages)
        added[catalog] = b"<< /Type /Catalog /Pages %d 0 R >>" % (catalog + 1)
        added[catalog + 1] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(pages), kids)
    info = next((number for number, body in objects.items() if _INFO.search(body) and not _NO_INFO.search(body)), None)
    told = b"/Root %d 0 R /Size %d" % (catalog or 0, max({*objects, *added}) + 1) + (b" /Info %d 0 R" % info if info else b"")
    behind = b"".join(b"\n%d 0 obj\n%b\nendobj" % each for each in added.items())
    return whole + behind + b"\ntrailer\n<< %b >>\nstartxref\n0\n%%%%EOF\n" % told


def _without_torso(data: bytes) -> bytes:
    """The file up to its last whole object, without what is left of its table; a stream that was cut is closed."""
    ends = [found.end() for found in re.finditer(rb"\bendobj\b", data)]
    end = ends[-1] if ends else 0
    torso = _OBJECT.search(data, end)
    stream = torso and re.compile(rb"\bstream\r?\n").search(data, torso.end())
    return data + b"\nendstream\nendobj" if stream else data[:end]


def _objects(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and dictionary of each object in the order of the file; of several with one number the last one counts."""
    for found in _OBJECT.finditer(data):
        end = _END.search(data, found.end(), found.end() + _LONGEST)
        yield int(found[1]), data[found.end() : end.start() if end else found.end() + _LONGEST]


def _packed(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects that lie in object streams (7.5.7); those that are cut, or packed in another way than usual, are left out."""
    left = _MOST_UNPACKED
    for found in _OBJECT.finditer(data):
        end = _END.search(data, found.end(), found.end() + _LONGEST)
        head = data[found.end() : end.start()] if end else b""
        first = _LENGTH.search(head)
        if end is None or first is None or not _is(head, b"ObjStm") or b"/DecodeParms" in head:
            continue
        stream = data[end.end() :] if b"/FlateDecode" in head else b""
        try:
            unpacked = zlib.decompressobj().decompress(stream, left)
        except zlib.error:
            continue
        left = max(1, left - len(unpacked))
        body = unpacked[int(first[1]) :]
        numbers = [int(number) for number in unpacked[: int(first[1])].split() if number.isdigit()]
        starts = [*numbers[1::2], len(body)]
        yield from ((number, body[a:b]) for number, a, b in zip(numbers[::2], starts, starts[1:], strict=False) if a < b)


def _pages(objects: dict[int, bytes], catalog: int | None) -> tuple[list[int], bool]:
    """The pages in order, and whether the tree that they hang on is whole; those of a broken one are all that are found."""
    root = re.search(rb"/Pages\s+(\d{1,9})\s", objects[catalog]) if catalog is not None else None
    found, waiting, seen, is_whole = list[int](), [int(root[1])] if root else [], set[int](), bool(root)
    while waiting:
        number = waiting.pop(0)
        if number in seen:
            continue
        seen.add(number)
        body = objects.get(number, b"")
        if kids := _KIDS.search(body):
            waiting[:0] = [int(each) for each in _REFERENCE.findall(kids[1])]
        elif _is(body, b"Page"):
            found.append(number)
        else:
            is_whole = False
    if is_whole:
        return found, True
    return [*found, *(number for number, body in objects.items() if _is(body, b"Page") and number not in seen)], False


def _is(body: bytes, kind: bytes) -> bool:
    return bool(re.search(rb"/Type\s*/" + kind + rb"\b", body))
