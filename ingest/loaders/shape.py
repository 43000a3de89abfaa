"""What a text is by how it begins, for files whose names do not say: a web page, a mail, a notebook, JSON, XML."""

from __future__ import annotations

import re

from ingest.loaders.content import Kind

_BEFORE = rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,500}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*"
_PAGE = re.compile(_BEFORE + rb"<(?:!doctype\s+html|html|head|body|table|meta|style)[\s>]", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml[\s]")
_FIELD = re.compile(rb"[\x21-\x39\x3b-\x7e]{1,70}:[^\n]*\n(?:[ \t][^\n]*\n)*")
_MBOX = re.compile(rb"From [^\n]{3,200}\n(?=[\x21-\x39\x3b-\x7e]{1,70}:)")
_MAIL_FIELDS = {b"received", b"return-path", b"message-id", b"mime-version", b"delivered-to", b"x-mailer", b"content-type"}
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_NOTEBOOK = re.compile(rb'"nbformat"\s*:\s*\d')
_HEAD = 16_384


def shape_of(data: bytes) -> Kind:
    """HTML, MHTML, MAIL, MAILBOX, NOTEBOOK, JSON or XML by strong signs in the text, else TEXT. Never raises."""
    head = data[:_HEAD].replace(b"\r\n", b"\n")
    if _PAGE.match(head):
        return Kind.HTML
    if _XML.match(head):
        return Kind.XML
    if _JSON.match(head) and data.rstrip().endswith((b"}", b"]")):
        return Kind.NOTEBOOK if _NOTEBOOK.search(head) or _NOTEBOOK.search(data[-2000:]) else _json_or_text(data)
    mbox = _MBOX.match(head)
    fields = _fields(head[mbox.end() :] if mbox else head)
    if mbox and fields.keys() & _MAIL_FIELDS:
        return Kind.MAILBOX
    if b"from" in fields and b"<saved by" in fields[b"from"].lower():
        return Kind.MHTML
    if b"mime-version" in fields and b"multipart/related" in fields.get(b"content-type", b"") and b"to" not in fields:
        return Kind.MHTML
    return Kind.MAIL if b"from" in fields and fields.keys() & _MAIL_FIELDS else Kind.TEXT


def _fields(head: bytes) -> dict[bytes, bytes]:
    """The header fields that the text begins with, by their names in small letters."""
    fields: dict[bytes, bytes] = {}
    place = len(head) - len(head.lstrip(b"\xef\xbb\xbf\n"))
    while field := _FIELD.match(head, place):
        name, _, value = field.group().partition(b":")
        fields.setdefault(name.lower(), value)
        place = field.end()
    return fields


def _json_or_text(data: bytes) -> Kind:
    """Many texts begin with a bracket, such as logs."""
    import json

    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return Kind.TEXT
    return Kind.JSON
