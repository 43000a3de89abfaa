"""OpenDocument texts (.odt) and presentations (.odp), in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document

from ingest.errors import LoadError, UnreadableFile
from ingest.loaders.base import FileLoader, sensible_title
from ingest.loaders.markdown import first_heading
from ingest.loaders.odf import DRAW, OFFICE, PRESENTATION, STYLE, annotation, open_odf, title_of
from ingest.loaders.opendocument.body import Body
from ingest.loaders.opendocument.labels import Labels
from ingest.loaders.package import Package

HIDDEN = "(hidden slide)"
_REPEATED = ("header", "header-left", "header-first", "footer", "footer-left", "footer-first")
_ON_EVERY_SLIDE = frozenset({"page-number", "date-time", "header", "footer"})


class _OpenDocumentLoader(FileLoader):
    """What both kinds have in common. Nothing is fetched, no macro is run."""

    def lazy_load(self) -> Iterator[Document]:
        """The text. Raises TooLarge, EncryptedFile or UnreadableFile."""
        try:
            package = open_odf(self.name, self.data, self.settings.parse)
            content, styles = package.xml("content.xml"), package.xml("styles.xml")
            body = Body(package, Labels(root for root in (content, styles) if root is not None))
            yield from self._documents(package, content, styles, body)
        except (LoadError, MemoryError):
            raise
        except Exception as error:  # parsers of foreign input raise anything
            remedy = "Open it in an office program and save it again."
            reason = "the OpenDocument file is damaged"
            raise UnreadableFile(self.name, reason, remedy=remedy, code="damaged_open_document") from error

    def _documents(self, package: Package, content: Any, styles: Any, body: Body) -> Iterator[Document]:
        raise NotImplementedError


class OdtLoader(_OpenDocumentLoader):
    """A text, as one Document; headers and footers once, at the end."""

    def _documents(self, package: Package, content: Any, styles: Any, body: Body) -> Iterator[Document]:
        text = body.text(content.find(f"{OFFICE}body/{OFFICE}text"))
        repeated: dict[str, None] = {}
        for name in _REPEATED if styles is not None else ():
            for element in styles.iter(f"{STYLE}{name}"):
                repeated.update((block.text.lstrip("# "), None) for block in body.blocks(element))
        said = [each for each in repeated if each.strip("0123456789 /-")]
        whole = "\n\n".join(filter(None, [text, *(["---", *said] if said else [])]))
        yield self.document(whole, "markdown", title=sensible_title(title_of(package)) or first_heading(whole))


class OdpLoader(_OpenDocumentLoader):
    """A presentation, a Document a slide with its number as `page`."""

    def _documents(self, package: Package, content: Any, styles: Any, body: Body) -> Iterator[Document]:
        hidden = {
            style.get(f"{STYLE}name")
            for style in content.iter(f"{STYLE}style")
            if any(each.get(f"{PRESENTATION}visibility") == "hidden" for each in style)
        }
        title = sensible_title(title_of(package))
        slides = list(content.find(f"{OFFICE}body/{OFFICE}presentation").iterchildren(f"{DRAW}page"))
        for number, slide in enumerate(slides, start=1):
            name = _title(slide)
            heading = " ".join(filter(None, (name, HIDDEN if slide.get(f"{DRAW}style-name") in hidden else "")))
            title = title or name
            parts = [f"# {heading}" if heading else "", *_parts(slide, body)]
            yield self.document("\n\n".join(filter(None, parts)), "markdown", title=title, page=number)
        if not slides:
            yield self.document("", "markdown", title=title)


def _title(slide: Any) -> str:
    frames = [frame for frame in slide.iterchildren(f"{DRAW}frame") if frame.get(f"{PRESENTATION}class") == "title"]
    return " ".join(" ".join(" ".join(frame.itertext()).split()) for frame in frames)


def _parts(slide: Any, body: Body) -> Iterator[str]:
    """The shapes but for the title and what stands on every slide, then notes and comments."""
    for shape in slide:
        kind = shape.get(f"{PRESENTATION}class")
        if shape.tag.startswith(DRAW) and kind != "title" and kind not in _ON_EVERY_SLIDE:
            yield body.text([shape])
    for frame in slide.iterfind(f"{PRESENTATION}notes/{DRAW}frame"):
        if frame.get(f"{PRESENTATION}class") == "notes" and (text := body.text([frame])):
            yield f"Notes: {text}"
    for comment in slide.iterchildren(f"{OFFICE}annotation"):
        yield f"[{annotation(comment)}]"
