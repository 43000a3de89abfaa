"""The recursive chunker: LangChain's RecursiveCharacterTextSplitter with exact spans, and with Chinese separators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from langchain_text_splitters import RecursiveCharacterTextSplitter

from ingest.chunkers.base import Piece, SpanChunker, measured
from ingest.chunkers.bounds import (
    CLAUSE_END,
    LINE_END,
    PARAGRAPH_END,
    SENTENCE_END,
    Ruler,
    bounded,
    joined,
    stripped,
    with_overlap,
)
from ingest.chunkers.sections import Section, sections
from language import Span

SEPARATORS = (*(kind.pattern for kind in (PARAGRAPH_END, LINE_END, SENTENCE_END, CLAUSE_END)), r"\s+")


def recursive_spans(
    text: str,
    span: Span,
    *,
    size: float,
    ruler: Ruler,
    separators: Sequence[str] = SEPARATORS,
    keep: Literal["start", "end"] = "end",
) -> list[Span]:
    """`text[start:end]` in spans of at most `size`, cut at the first of the separators (regular expressions) that does.

    The library splits and merges; as it keeps separators and blanks and gets no overlap to add, its chunks are slices that follow
    each other. It has no separator for the inside of a word: what is too wide then is cut here.
    """
    if ruler.width(*span) <= size:
        whole = stripped(text, *span)
        return [whole] if whole else []
    splitter = RecursiveCharacterTextSplitter(
        list(separators), keep, True, chunk_size=int(size), chunk_overlap=0, length_function=measured, strip_whitespace=False
    )
    found: list[Span] = []
    place = span.start
    for chunk in splitter.split_text(text[span.start : span.end]):
        inside = stripped(text, place, place + len(chunk))
        place += len(chunk)
        found.extend(bounded(text, inside, size, ruler) if inside else ())
    return found


class RecursiveChunker(SpanChunker):
    """Cuts at paragraphs, then lines, sentences, clauses and words, whatever the language, and adds the overlap."""

    name: ClassVar[str] = "recursive"

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Chunks over all of the text."""
        return [Piece(*span) for span in self.spans(text, Span(0, len(text)), ruler)]

    def spans(self, text: str, span: Span, ruler: Ruler) -> list[Span]:
        """Chunks of a part of the text."""
        sizes = self.sizes
        found = recursive_spans(text, span, size=sizes.room, ruler=ruler)
        found = joined(found, smallest=sizes.smallest, room=sizes.room, ruler=ruler)
        return with_overlap(text, found, overlap=sizes.overlap, size=sizes.chunk_size, ruler=ruler)


class MarkdownRecursiveChunker(RecursiveChunker):
    """Cuts at every heading, then as the recursive chunker within each section; no chunk joins two sections.

    LangChain's MarkdownHeaderTextSplitter before its RecursiveCharacterTextSplitter; text that is not Markdown is one section.
    """

    name: ClassVar[str] = "markdown_recursive"

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """Chunks of one section after the other."""
        found = whole_sections(text, markdown=markdown)
        return [Piece(*span) for each in found for span in self.spans(text, Span(each.start, each.end), ruler)]


def whole_sections(text: str, *, markdown: bool) -> list[Section]:
    """The sections that have text; a heading without text goes with the section after it, or is the last."""
    found: list[Section] = []
    start: int | None = None
    for section in sections(text, markdown=markdown):
        start = section.start if start is None else start
        if text[section.body : section.end].strip():
            found.append(replace(section, start=start))
            start = None
    if start is not None:
        found.append(Section(start, start, len(text), ()))
    return found
