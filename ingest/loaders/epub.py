"""E-books (.epub): a Document a chapter, in the order in which they are read, in Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from langchain_core.documents import Document

from ingest.errors import EncryptedFile, LoadError, Reason, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file
from ingest.loaders.markup import TooDeep, drop_unseen, parse, to_markdown
from ingest.loaders.package import Package

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""How fonts are garbled in books that are not protected."""
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_DECLARED = re.compile(
    rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]{1,40})|<meta[^>]*charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE
)
_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([A-Za-z][\w:.-]*)((?:\s[^<>]*?)?)/>"
)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


@dataclass(frozen=True)
class _Book:
    """The title, the parts that hold its chapters, and the names that its table of contents gives them."""

    title: str | None
    chapters: tuple[str, ...]
    missing: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)


class EpubLoader(FileLoader):
    """A book. Scripts, styles and pictures are left out, but not what describes these; nothing is fetched."""

    def lazy_load(self) -> Iterator[Document]:
        """The chapters that have text. Raises TooLarge, EncryptedFile (protected against copying) or UnreadableFile."""
        try:
            yield from self._chapters()
        except (LoadError, MemoryError):
            raise
        except Exception as error:  # parsers of foreign input raise anything
            remedy = "Download it again, or convert it to .epub or .pdf anew."
            raise UnreadableFile(self.name, "the e-book is damaged", remedy=remedy, code="damaged_epub") from error

    def _chapters(self) -> Iterator[Document]:
        package = Package(self.name, self.data, self.settings.parse, doctypes=True)
        self._refuse_protected(package)
        book = _book(package)
        if not book.chapters:
            raise ValueError("no chapters")
        skipped = [(name, Reason("the chapter is not in the e-book", "part_missing")) for name in book.missing] or None
        empty = True
        for part in book.chapters:
            text = self._text(package.read(part), book.names.get(part, ""))
            if text:
                yield self.document(text, "markdown", title=book.title, skipped=skipped if empty else None)
                empty = False
        if empty:
            yield self.document("", "markdown", title=book.title, skipped=skipped)

    def _refuse_protected(self, package: Package) -> None:
        root = package.xml(_ENCRYPTION)
        methods = (
            [] if root is None else [each.get("Algorithm") for each in root.iterfind(".//{*}EncryptedData/{*}EncryptionMethod")]
        )
        if "META-INF/sinf.xml" in package.names or any(method not in _FONTS for method in methods):
            raise EncryptedFile(
                self.name,
                "the e-book is protected against copying (DRM)",
                remedy="Use a copy without the protection.",
                code="protected_epub",
            )

    def _text(self, data: bytes, name: str) -> str:
        """A chapter in Markdown, below the name that the table of contents gives it unless it has a heading."""
        declared = _DECLARED.search(data[:2048])
        charset = (declared[1] or declared[2]).decode("ascii") if declared else None
        markup = _CLOSED.sub(r"<\1\2></\1>", decode_file(self.name, data, charset).text)  # in HTML <title/> has no end
        try:
            page = parse(markup)
        except TooDeep:
            return clean(re.sub(r"<[^>]*>", " ", markup)).strip()
        if page is None:
            return ""
        for element in page.xpath("//rt | //rp"):
            element.drop_tree()
        drop_unseen(page)
        text = clean(to_markdown(page))
        return f"# {name}\n\n{text}" if text and name and not _HEADING.search(text) else text


def _book(package: Package) -> _Book:
    rootfile = package.xml(_CONTAINER).find(".//{*}rootfile").get("full-path")
    root, folder = package.xml(rootfile), posixpath.dirname(rootfile)
    items = {item.get("id"): item for item in root.iterfind(".//{*}manifest/{*}item")}
    spine = [items[ref.get("idref")] for ref in root.iterfind(".//{*}spine/{*}itemref") if ref.get("idref") in items]
    listed = [item for item in items.values() if "nav" in item.get("properties", "").split()]
    read = [item for item in spine or items.values() if item.get("media-type", _PAGES[0]) in _PAGES and item not in listed]
    parts = dict.fromkeys(_path(folder, item) for item in read)
    names: dict[str, str] = {}
    for item in [*listed, *(item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml")]:
        names = names or _contents(package, _path(folder, item))
    return _Book(
        title=root.findtext(".//{http://purl.org/dc/elements/1.1/}title"),
        chapters=tuple(part for part in parts if part in package.names),
        missing=tuple(part for part in parts if part not in package.names),
        names=names,
    )


def _path(folder: str, item: Any) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "").partition("#")[0])))


def _contents(package: Package, part: str) -> dict[str, str]:
    """The first name that a table of contents, of either version, gives each chapter."""
    if part not in package.names:
        return {}
    folder, found = posixpath.dirname(part), dict[str, str]()
    root = package.xml(part) if part.endswith(".ncx") else parse(package.read(part).decode("utf-8", "replace"))
    entries = () if root is None else (*root.iter("{*}navPoint"), *root.xpath("//nav//a[@href]"))
    for entry in entries:
        source = entry.find("{*}content")
        href = entry.get("href", "") if source is None else source.get("src", "")
        label = entry if source is None else entry.find("{*}navLabel")
        name = " ".join(clean("" if label is None else " ".join(label.itertext())).split())
        if name:
            found.setdefault(posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0]))), name)
    return found
