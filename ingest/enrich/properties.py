"""What a file says of itself beside its text: who wrote it, when, and under which keywords.

It is read in the process that reads files, since it is as foreign as they are: what is wrong or hostile counts as none.
"""

from __future__ import annotations

import email.policy
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from email.errors import MessageError
from email.parser import BytesHeaderParser
from email.utils import parseaddr, parsedate_to_datetime
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

import yaml
from defusedxml import DefusedXmlException, ElementTree  # type: ignore[import-untyped]

from ingest.document import LoadedDocument
from ingest.loaders.clean import clean
from language import detect

LONGEST, MOST_KEYWORDS = 200, 20
_MOST_BYTES = 2**20
_HEAD = 200_000
_DATE = re.compile(
    r"(?<!\d)(1[89]\d\d|20\d\d)(?:[-/.年]?\s?(0[1-9]|1[0-2]|[1-9](?!\d)))(?:[-/.月]?\s?([0-2]\d|3[01]|[1-9](?!\d)))?"
)
_NOBODY = re.compile(
    r"[(\[]?(?:python-docx|openpyxl|python-pptx|apache poi|microsoft.*|windows.*|(?:un)?known|user\w*|admin\w*|author|root|owner"
    r"|anonymous|用户|管理员|作者|佚名|未知)[)\]]?",
    re.IGNORECASE,
)
_TEMPLATES = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z"})
"""When the empty documents were made that python-docx and python-pptx begin with."""
_PACKED = ("docProps/core.xml", "meta.xml")
_FRONT_MATTER = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.{1,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Properties:
    """The author on one line; the day it was written as YYYY-MM-DD, YYYY-MM or YYYY; keywords, each once."""

    author: str | None = None
    created: str | None = None
    keywords: tuple[str, ...] = ()


NOTHING = Properties()


def described(document: LoadedDocument, data: bytes) -> LoadedDocument:
    """The document with what its file says of itself, and its language."""
    found = properties_of(data)
    language = detect(document.text) if document.text.strip() else None
    return replace(document, author=found.author, created=found.created, keywords=found.keywords, language=language)


def properties_of(data: bytes) -> Properties:
    """What a file of any kind says; nothing when it says nothing that can be read."""
    with suppress(
        OSError, ValueError, LookupError, AttributeError, EOFError, RuntimeError, NotImplementedError, zlib.error,
        zipfile.BadZipFile, ParseError, DefusedXmlException, MessageError, yaml.YAMLError, RecursionError,
    ):  # fmt: skip
        if data.startswith(b"PK"):
            return _of_packed(data)
        if b"%PDF-" in data[:1024]:
            return _of_pdf(data)
        if matter := _FRONT_MATTER.match(data):
            return _of_front_matter(matter[1])
        if re.search(rb"<(?:!doctype\s+html|html|head|meta)\b", data[:4096], re.IGNORECASE):
            return _of_html(data[:_HEAD])
        if re.match(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}", data[:20_000]) and b"\nFrom:" in b"\n" + data[:20_000]:
            return _of_mail(data[:_HEAD])
    return NOTHING


def _made(writer: object, created: object, keywords: Iterable[object] = ()) -> Properties:
    name = _line(writer)
    words = [word for given in keywords for part in re.split(r"[,;，；、\n]", str(given or "")) if (word := _line(part))]
    distinct: dict[str, str] = {}
    for word in words:
        distinct.setdefault(word.casefold(), word)
    author = None if not name or _NOBODY.fullmatch(name) else name
    return Properties(author, _day(created), tuple(distinct.values())[:MOST_KEYWORDS])


def _line(value: object) -> str:
    return " ".join(clean(str(value or "")).split())[:LONGEST]


def _day(value: object) -> str | None:
    """A date of any usual form; None for another, for a day that is none, and for one to come."""
    match = _DATE.search(str(value or "")[:100])
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year
    with suppress(ValueError):
        if date(year, month or 1, day or 1) <= date(9999, 1, 1):
            return "-".join([f"{year:04}", *(f"{part:02}" for part in (month, day) if part)])
    return None


def _of_packed(data: bytes) -> Properties:
    """Office Open XML, OpenDocument and EPUB keep Dublin Core in a part of its own."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        names = set(archive.namelist())
        part = next((name for name in _PACKED if name in names), None)
        if part is None and "META-INF/container.xml" in names:
            part = next((name for name in sorted(names) if name.endswith(".opf")), None)
        if part is None or archive.getinfo(part).file_size > _MOST_BYTES:
            return NOTHING
        with archive.open(part) as file:
            root: Element = ElementTree.fromstring(file.read(_MOST_BYTES))
    said: dict[str, list[str]] = {}
    for element in root.iter():
        if element.text:
            said.setdefault(element.tag.rpartition("}")[2], []).append(element.text)
    author = next(iter(said.get("initial-creator") or said.get("creator") or []), None)
    days = (day for name in ("created", "creation-date", "date", "modified") for day in said.get(name, ()))
    created = next((day for day in days if day.strip() not in _TEMPLATES), None)
    return _made(author, created, said.get("keywords") or said.get("keyword") or said.get("subject") or ())


def _of_pdf(data: bytes) -> Properties:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    try:
        said = document.get_metadata_dict(skip_empty=True)
    finally:
        document.close()
    return _made(said.get("Author"), said.get("CreationDate", "").removeprefix("D:"), [said.get("Keywords", "")])


def _of_html(head: bytes) -> Properties:
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of XML and of texts that look like a file's name
        soup = BeautifulSoup(head, "lxml")
    said: dict[str, str] = {}
    for meta in soup.find_all("meta"):
        name = str(meta.get("name") or meta.get("property") or meta.get("itemprop") or "").lower()
        said.setdefault(name, str(meta.get("content") or ""))
    dates = ("article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "article:modified_time")
    author = said.get("author") or said.get("dc.creator") or said.get("article:author")
    created = next((said[name] for name in dates if said.get(name)), None)
    return _made(None if author and "://" in author else author, created, [said.get("keywords") or said.get("article:tag", "")])


def _of_mail(data: bytes) -> Properties:
    head = BytesHeaderParser(policy=email.policy.default).parsebytes(data)
    name, address = parseaddr(str(head.get("From", "")))
    return _made(name or address, parsedate_to_datetime(str(head.get("Date", ""))).date().isoformat())


def _of_front_matter(matter: bytes) -> Properties:
    said = yaml.safe_load(matter.decode("utf-8"))
    if not isinstance(said, dict):
        return NOTHING
    author, tags = said.get("author") or said.get("authors"), said.get("tags") or said.get("keywords") or []
    names = ", ".join(str(name) for name in author) if isinstance(author, list) else author
    words = tags if isinstance(tags, list) else [tags]
    return _made(names if isinstance(names, str) else None, said.get("date") or said.get("created"), words)
