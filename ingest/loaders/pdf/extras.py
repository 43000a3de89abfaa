"""What a PDF says beside its pages' text: bookmarks, title and author, the values of form fields, comments, attached files."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath

import pypdfium2
from pypdfium2 import raw

from ingest.errors import Reason
from ingest.loaders.clean import clean, fold_lookalikes
from ingest.loaders.layout.style import key_of
from ingest.loaders.members import Member, Unread

_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?")
_DEEPEST = 6
_MOST_BOOKMARKS = 10_000
_MOST_ATTACHMENTS = 1_000
_COMMENTS = (raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE)
_BUTTON = ("Off", "Yes", "On")


def outline_of(pdf: pypdfium2.PdfDocument) -> dict[tuple[int, str], int]:
    """The bookmarks as (page from 1, key of the title): level from 1."""
    found: dict[tuple[int, str], int] = {}
    try:
        for number, mark in enumerate(pdf.get_toc(max_depth=_DEEPEST)):
            if number >= _MOST_BOOKMARKS:
                break
            target = mark.get_dest()
            index = target.get_index() if target else None
            key = key_of(fold_lookalikes(clean(mark.get_title())))
            if index is not None and key:
                found.setdefault((index + 1, key), min(mark.level + 1, _DEEPEST))
    except pypdfium2.PdfiumError:
        return found
    return found


def created_of(pdf: pypdfium2.PdfDocument) -> str | None:
    """When the document says that it was made, in ISO 8601 without a zone."""
    match = _DATE.match(pdf.get_metadata_value("CreationDate") or "")
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part) if part else 0 for part in match.groups())
    try:
        return datetime(year, month or 1, day or 1, hour, minute, second).isoformat()  # noqa: DTZ001 - as it says
    except ValueError:
        return None


def attachments_of(pdf: pypdfium2.PdfDocument) -> list[Member | Unread]:
    """The files that the PDF carries, as a portfolio does and an invoice with its data."""
    found: list[Member | Unread] = []
    for number in range(min(pdf.count_attachments(), _MOST_ATTACHMENTS)):
        name = f"attachment {number + 1}"
        try:
            attachment = pdf.get_attachment(number)
            name = PurePath(" ".join(clean(attachment.get_name()).replace("\\", "/").split())).name or name
            found.append(Member(name, bytes(attachment.get_data())))
        except (pypdfium2.PdfiumError, UnicodeDecodeError):  # an empty one, too
            found.append(Unread(name, Reason("it is damaged in the archive", "part_damaged")))
    return found


def notes_of(page: pypdfium2.PdfPage) -> list[str]:
    """Form fields as "name: value", and comments, in the order of the file."""
    found: list[str] = []
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        note = raw.FPDFPage_GetAnnot(page, number)
        if not note:
            continue
        try:
            found.extend(_said(note))
        finally:
            raw.FPDFPage_CloseAnnot(note)
    return list(dict.fromkeys(found))


def _said(note: object) -> Iterator[str]:
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind == raw.FPDF_ANNOT_WIDGET:
        name, value = _value(note, "TU") or _value(note, "T"), _value(note, "V")
        if value and value not in _BUTTON:
            yield f"{name}: {value}" if name else value
    elif kind in _COMMENTS and (text := _value(note, "Contents")):
        yield text


def _value(note: object, key: str) -> str:
    """A string of an annotation, without surrounding blanks; "" for none."""
    wanted = key.encode()
    length = raw.FPDFAnnot_GetStringValue(note, wanted, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFAnnot_GetStringValue(note, wanted, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return fold_lookalikes(clean(buffer.raw[: length - 2].decode("utf-16-le", "replace"))).strip()
