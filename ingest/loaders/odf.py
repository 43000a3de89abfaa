"""What OpenDocument texts, sheets and presentations have in common: names, paragraphs, notes, encryption."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ingest.loaders.clean import clean
from ingest.loaders.package import Package, password_needed
from settings.ingest import ParseSettings

_URN = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
OFFICE, TEXT, TABLE, STYLE, DRAW, PRESENTATION, MANIFEST, META, SVG = (
    _URN % name for name in ("office", "text", "table", "style", "drawing", "presentation", "manifest", "meta", "svg-compatible")
)
XLINK = "{http://www.w3.org/1999/xlink}"
DC = "{http://purl.org/dc/elements/1.1/}"
_BLANKS = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}
_NOT_SHOWN = frozenset(
    f"{space}{name}"
    for space, name in (
        (OFFICE, "annotation"),
        (OFFICE, "annotation-end"),
        (TEXT, "tracked-changes"),
        (TEXT, "note"),
        (DRAW, "frame"),
        (DRAW, "custom-shape"),
        (DRAW, "g"),
        (TEXT, "ruby-text"),
        (TEXT, "hidden-text"),
        (SVG, "title"),
        (SVG, "desc"),
    )
)
_MOST_BLANKS = 100


def open_odf(name: str, data: bytes, parse: ParseSettings, *, streamed: tuple[str, ...] = ()) -> Package:
    """The package of a document. Raises EncryptedFile for one that has a password: its parts are encrypted, not the archive."""
    package = Package(name, data, parse, streamed=streamed, doctypes=True)
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter(f"{MANIFEST}encryption-data"), None) is not None:
        raise password_needed(name)
    return package


def title_of(package: Package) -> str | None:
    """The title in the document's properties."""
    meta = package.xml("meta.xml")
    title: str | None = None if meta is None else meta.findtext(f".//{DC}title")
    return title


def paragraph_text(paragraph: Any, mark: Callable[[Any], str] | None = None) -> str:
    """The text of a paragraph; blanks as the format writes them out. `mark` gives what stands for a note, else it is left out."""
    return clean("".join(_inline(paragraph, mark))).strip()


def _inline(element: Any, mark: Callable[[Any], str] | None) -> Iterator[str]:
    yield " ".join((element.text or "").split("\n"))
    for child in element:
        if child.tag in _BLANKS:
            yield _BLANKS[child.tag]
        elif child.tag == f"{TEXT}s":
            count = child.get(f"{TEXT}c", "1")
            yield " " * min(int(count) if count.isdecimal() else 1, _MOST_BLANKS)
        elif child.tag == f"{TEXT}note" and mark:
            yield mark(child)
        elif child.tag not in _NOT_SHOWN:
            yield from _inline(child, mark)
        yield child.tail or ""


def annotation(element: Any) -> str:
    """A comment on one line, behind the name of its author."""
    author = element.findtext(f"{DC}creator") or ""
    words = " ".join(" ".join(paragraph_text(each).split()) for each in element.iter(f"{TEXT}p"))
    return f"{author}: {words}" if author and words else words


def hidden_tables(package: Package) -> frozenset[str]:
    """The names of the styles of sheets that are not shown. The styles stand at the start of what may be very long."""
    from lxml import etree

    found = set()
    with package.archive.open("content.xml") as stream:
        events = etree.iterparse(stream, events=("start", "end"), resolve_entities=False, no_network=True)
        for event, element in events:
            if event == "start" and element.tag == f"{OFFICE}body":
                break
            if event == "end" and element.tag == f"{STYLE}table-properties" and element.get(f"{TABLE}display") == "false":
                found.add(element.getparent().get(f"{STYLE}name"))
    return frozenset(found)
