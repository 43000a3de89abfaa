"""The descriptions of a document's pictures, which stand behind its text: what was there before stays in its place.

So a description is found, quoted and cited as any other text, and each place of the document itself is what it was. From
the first block on, every word was written by a model; the first line of each description says so, as does the heading of its
chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.build import build_chunks, embed_texts
from ingest.chunkers import get_chunker
from ingest.document import BETWEEN_PARTS, LoadedDocument, PageSpan
from ingest.enrich.figures import NAME
from ingest.enrich.rows import Kept
from ingest.pictures.found import FoundPicture
from ingest.vectors import embedded
from models.base import GlassboxEmbeddings
from settings import Settings
from store.database import clean_text
from store.schema import Chunk, SegmentSpan, chunk_id

BY_MODEL = "by_model"
"""In a chunk's metadata: the model that wrote its text."""
_WORDS = {
    "en": (
        "[Picture {number}{page}{part}, described by the model {model}]",
        ", page {page}",
        " in {part}",
        "Picture {number} (described by {model})",
    ),
    "zh": (
        "【图片 {number}{page}{part}，由模型 {model} 描述】",
        "，第 {page} 页",
        "，见 {part}",
        "图片 {number}（由 {model} 描述）",
    ),
}
_NO_BRACKETS = str.maketrans("[]【】［］", "()()()")
"""The path of a file is not to end the line's own brackets."""


@dataclass(frozen=True)
class Figure:
    """A described picture: its block of text, where that lies in the document's text, and its page, if it has one."""

    text: str
    start: int
    heading: str
    model: str
    page: int | None

    @property
    def end(self) -> int:
        """Where the block ends."""
        return self.start + len(self.text)


def figures_of(text: str, pictures: Sequence[FoundPicture], kept: Kept, language: str) -> list[Figure]:
    """The pictures that were described, with the places that they have behind this text."""
    found, start = list[Figure](), len(text) + (len(BETWEEN_PARTS) if text else 0)
    for picture in pictures:
        value = kept[NAME, picture.key].value if (NAME, picture.key) in kept else {}
        if value.get("text"):
            figure = _figure(value, len(found) + 1, picture, language=language, start=start)
            found.append(figure)
            start = figure.end + len(BETWEEN_PARTS)
    return found


def with_figures(document: LoadedDocument, figures: Sequence[Figure]) -> LoadedDocument:
    """The document with the blocks behind its text, each on the page of its picture."""
    if not figures:
        return document
    text = BETWEEN_PARTS.join(filter(None, (document.text, *(figure.text for figure in figures))))
    pages = tuple(PageSpan(figure.page, figure.start, figure.end) for figure in figures if figure.page is not None)
    return replace(document, text=text, pages=(*document.pages, *pages))


def figure_chunks(
    document: LoadedDocument,
    figures: Sequence[Figure],
    before: Sequence[Chunk],
    *,
    place: tuple[str, str],
    embeddings: GlassboxEmbeddings,
    settings: Settings,
) -> list[Chunk]:
    """The chunks of the blocks, none across two of them, numbered after those `before`; `place` is doc_id and version.

    Raises ModelError.
    """
    chunks = list[Chunk]()
    plain = settings.override({"ingest.chunker": "recursive", "ingest.chunk_overlap": 0})
    headings = settings.ingest.enrich.heading_path.enabled
    for figure in figures:
        alone = replace(document, text=figure.text, pages=(), rows=())
        chunker = get_chunker(plain, embeddings, document=alone)
        segments = chunker.segments(alone.text)
        vectors = embedded(embeddings, embed_texts(alone, segments, headings=headings))
        about = {"doc_id": place[0], "version": place[1], "headings": headings}
        built = build_chunks(alone, segments, vectors, chunker=chunker, **about)  # type: ignore[arg-type]
        chunks += [_moved(chunk, figure, len(before) + len(chunks) + number) for number, chunk in enumerate(built)]
    if settings.ingest.chunk_vector == "direct":
        direct = embedded(embeddings, [chunk.embed_text for chunk in chunks])
        return [replace(chunk, vector=vector) for chunk, vector in zip(chunks, direct, strict=True)]
    return chunks


def _figure(value: Mapping[str, Any], number: int, picture: FoundPicture, *, language: str, start: int) -> Figure:
    first, on_page, in_part, heading = _WORDS["zh" if language == "zh" else "en"]
    model, page = clean_text(str(value.get("model"))), picture.page
    told = on_page.format(page=page) if page is not None else ""
    inside = in_part.format(part=picture.part.translate(_NO_BRACKETS)) if picture.part else ""
    line = first.format(number=number, page=told, part=inside, model=model)
    return Figure(f"{line}\n{value['text']}", start, heading.format(number=number, model=model), model, page)


def _moved(chunk: Chunk, figure: Figure, index: int) -> Chunk:
    """A chunk of a block as one of the document."""
    start, end = (chunk.start or 0) + figure.start, (chunk.end or 0) + figure.start
    return replace(
        chunk,
        id=chunk_id(doc_id=str(chunk.doc_id), kind=chunk.kind, start=start, end=end, ordinal=index),
        start=start,
        end=end,
        segments=tuple(SegmentSpan(each.start + figure.start, each.end + figure.start) for each in chunk.segments),
        chunk_index=index,
        page=figure.page,
        heading=figure.heading,
        metadata={**chunk.metadata, BY_MODEL: figure.model},
    )
