"""Pictures of documents that are zip archives: Word, PowerPoint, OpenDocument and EPUB, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.loaders.base import FileLoader
from ingest.loaders.ooxml import main_part, related
from ingest.loaders.package import Package
from ingest.pictures.screen import Screen

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_VML = "{urn:schemas-microsoft-com:vml}imagedata"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")


def pictures_of_word(loader: FileLoader, screen: Screen) -> None:
    """The pictures of the text; headers and footers, which stand on every page, have none that count."""
    package = Package(loader.name, loader.data, loader.settings.parse)
    _show(package, _in_part(package, main_part(package)), screen)


def pictures_of_slides(loader: FileLoader, screen: Screen) -> None:
    """The pictures of each slide, whose number is the page; those of its layout are decoration."""
    package = Package(loader.name, loader.data, loader.settings.parse)
    main = main_part(package)
    parts, root = related(package, main), package.xml(main)
    slides = [parts[each.get(f"{_R}id")][1] for each in root.iter("{*}sldId") if each.get(f"{_R}id") in parts]
    for number, slide in enumerate(slides, start=1):
        _show(package, _in_part(package, slide), screen, page=number)


def pictures_of_opendocument(loader: FileLoader, screen: Screen) -> None:
    """The pictures of the text, or of each slide."""
    package = Package(loader.name, loader.data, loader.settings.parse, doctypes=True)
    root = package.xml("content.xml")
    pages = [] if root is None else list(root.iter(f"{_DRAW}page"))
    for number, page in enumerate(pages, start=1):
        _show(package, _linked(page), screen, page=number)
    if root is not None and not pages:
        _show(package, _linked(root), screen)


def pictures_of_book(loader: FileLoader, screen: Screen) -> None:
    """The pictures of an EPUB, by their names, which are numbered as a rule."""
    package = Package(loader.name, loader.data, loader.settings.parse, doctypes=True)
    _show(package, iter(sorted(name for name in package.names if name.lower().endswith(_SUFFIXES))), screen)


def pictures_of_workbook(loader: FileLoader, screen: Screen) -> None:
    """The pictures of an Excel or OpenDocument workbook, by their names; none of one of an old version, which is no package."""
    if loader.data.startswith(b"PK"):
        package = Package(loader.name, loader.data, loader.settings.parse, doctypes=True)
        parts = (name for name in package.names if name.startswith(("xl/media/", "Pictures/")))
        _show(package, iter(sorted(name for name in parts if name.lower().endswith(_SUFFIXES))), screen)


def _show(package: Package, parts: Iterator[str], screen: Screen, page: int | None = None) -> None:
    for part in parts:
        if part in package.names:
            screen.add_bytes(package.read(part), page)


def _in_part(package: Package, part: str) -> Iterator[str]:
    """The parts that hold the pictures of a part; one that is drawn in two ways for old and new programs is told once."""
    known, root = related(package, part), package.xml(part)
    for each in () if root is None else root.iter(_BLIP, _VML):
        number = each.get(f"{_R}embed") or each.get(f"{_R}id")
        if number in known and next(each.iterancestors(_FALLBACK), None) is None:
            yield known[number][1]


def _linked(element: Any) -> Iterator[str]:
    for each in element.iter(f"{_DRAW}image"):
        yield str(each.get(_HREF) or "").removeprefix("./")
