"""PowerPoint presentations: a Document a slide, in Markdown."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document

from ingest.errors import LoadError, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.enclosed import enclosed
from ingest.loaders.members import Member
from ingest.loaders.ooxml import core_title, embedded
from ingest.loaders.package import Package, transitional
from ingest.loaders.slides.comments import authors, comments
from ingest.loaders.slides.shapes import alternatives, blocks, lines

HIDDEN = "(hidden slide)"
_NO_TITLE = re.compile(r"^(?:powerpoint )?(?:presentation|演示文稿|簡報|プレゼンテーション)\s*\d*$", re.IGNORECASE)
_NUMBER, _DATE, _FOOTER, _HEADER = 13, 16, 15, 14  # PP_PLACEHOLDER: what stands on every slide


class PptxLoader(FileLoader):
    """A presentation. A slide without text is yielded as well: it may be a picture. Nothing is fetched."""

    def lazy_load(self) -> Iterator[Document]:
        """The slides with their numbers as `page`. Raises TooLarge, EncryptedFile or UnreadableFile."""
        try:
            yield from self._slides()
        except (LoadError, MemoryError):
            raise
        except Exception as error:  # parsers of foreign input raise anything
            remedy = "Open it in a presentation program and save it again as .pptx."
            raise UnreadableFile(self.name, "the presentation is damaged", remedy=remedy, code="damaged_slides") from error

    def _slides(self) -> Iterator[Document]:
        from pptx.package import Package as Opened

        package = Package(self.name, self.data, self.settings.parse)
        title = _NO_TITLE.sub("", core_title(package) or "")
        main = Opened.open(
            io.BytesIO(transitional(package, self.data))
        ).presentation_part  # pptx.Presentation takes no .ppsx, .potx and .pptm
        names = authors(package, main.partname.lstrip("/"))
        repeated: set[str] = set()
        files: list[Member] = []
        slides = list(main.presentation.slides)
        for number, slide in enumerate(slides, start=1):
            parts = [*_body(slide, repeated), *_notes(slide), *comments(package, slide.part.partname.lstrip("/"), names)]
            title = title or _title(slide)
            yield self.document("\n\n".join(filter(None, parts)), "markdown", title=title, page=number)
            files.extend(embedded(package, slide.part.partname.lstrip("/")))
        if not slides:
            yield self.document("", "markdown", title=title)
        yield from enclosed(self, files)


def _body(slide: Any, repeated: set[str]) -> Iterator[str]:
    """The title as a heading, then all else; a footer only where it is first seen."""
    title = _title(slide)
    hidden = slide.element.get("show") in ("0", "false")
    if title or hidden:
        yield f"# {' '.join(filter(None, (title, HIDDEN if hidden else '')))}"
    shown = []
    for shape in slide.shapes:
        kind = shape.placeholder_format.type if shape.is_placeholder else None
        if kind in (_NUMBER, _DATE) or (slide.shapes.title is not None and shape.shape_id == slide.shapes.title.shape_id):
            continue
        if kind in (_FOOTER, _HEADER):
            text = shape.text_frame.text.strip()
            if text in repeated:
                continue
            repeated.add(text)
        shown.append(shape)
    yield from blocks(shown)
    yield from alternatives(slide.element)


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return "" if shape is None else " ".join(clean(" ".join(lines(shape.element))).split())


def _notes(slide: Any) -> Iterator[str]:
    """What the speaker has to say."""
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    text = clean(frame.text).strip() if frame is not None else ""
    if text:
        yield f"Notes: {text}"
