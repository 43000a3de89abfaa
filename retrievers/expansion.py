"""Expansion: a passage becomes another span of its document's text. What its two kinds (parent.py, window.py) have in common.

The span of a result depends only on those ranked before it, and what merges into it on all candidates, never on how many results
are wanted: with a larger top_k the first results are the same, letter for letter.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from language import Span
from retrievers import ledger
from retrievers.evidence import segment_text, spans_of
from store.schema import Candidate, FloatArray


class Cut(Protocol):
    """How the passages of one question become spans."""

    def core(self, document: Document) -> Span:
        """What of a passage its result must hold."""

    def grown(self, document: Document, core: Span, free: Span, text: str) -> Span:
        """The span that the passage becomes: the core and more of the free span of the text around it."""


class TableRows(NamedTuple):
    """The rows of a table, first and last, that the chunk start:end of a document holds a part of."""

    start: int
    end: int
    sheet: str | None
    rows: tuple[int, int]


@dataclass
class _Result:
    """A passage that goes on, as `span` of its document (None: as it is), with what it takes in, best first."""

    members: list[Document]
    span: Span | None = None
    text: str = ""
    marked: Span = field(default=Span(0, 0))

    def is_of(self, document: Document) -> bool:
        """Whether it is a span of the document that the passage stands in, in the same version."""
        first = self.members[0].metadata
        return self.span is not None and all(document.metadata.get(key) == first.get(key) for key in ("doc_id", "version"))

    def holds(self, core: Span) -> bool:
        return self.span is not None and _within(core, self.span)


class Expansion(BaseDocumentCompressor):
    """Makes the first `k` results of passages, in their order; a passage whose core lies in a better result merges into that.

    Where only the spans would overlap, the later one stops at the better one. Segments with their cosines are those of all
    passages that merged, as far as they lie in the span; id, heading, scores and relevance are those of the best.
    metadata["matched"] is the span that was found. What is left after `k` results goes on unchanged; without `k`, nothing is
    left. A passage whose text cannot be had stays as it is. Since not all text of a span is of known segments,
    metadata["segment_headings"] keeps what each of them stands under.

    No result grows over what is switched off or was corrected, and a corrected passage stays as it is: its text is not the
    document's.

    `text_of` gives the whole text of a document by its id, `pages_of` its pages as (page, start); without that, page and
    later_pages are taken from what the passage knows of them. `shut_of` gives the spans that are switched off or corrected,
    `rows_of` where its rows of tables lie.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    stage: ClassVar[str]

    text_of: Callable[[str], str | None]
    pages_of: Callable[[str], Sequence[tuple[int, int]]] | None = None
    shut_of: Callable[[str], Sequence[tuple[int, int]]] | None = None
    rows_of: Callable[[str], Sequence[TableRows]] | None = None
    k: int | None = Field(default=None, ge=1)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The results, then what is left."""
        results: list[_Result] = []
        left: list[Document] = []
        book = ledger.current()
        with book.stage(self.stage, taken_in=len(documents)) as stage:
            cut, text_of = self._cut(query), lru_cache(maxsize=None)(self.text_of)
            for document in documents:
                near = [result for result in results if result.is_of(document)]
                wanted = self.k is None or len(results) < self.k
                core = cut.core(document) if _has_place(document) and (near or wanted) else None
                holder = next((result for result in near if core and result.holds(core)), None)
                if holder:
                    holder.members.append(document)
                    book.merge(stage, document, holder.members[0])
                elif wanted:
                    text = text_of(document.metadata["doc_id"]) if core else None
                    taken = [result.span for result in near if result.span]
                    taken += [
                        Span(*shut) for shut in (self.shut_of(document.metadata["doc_id"]) if core and self.shut_of else ())
                    ]
                    results.append(_result(document, core, taken, text, cut))
                else:
                    left.append(document)
            return [*(self._built(result) for result in results), *left]

    @abstractmethod
    def _cut(self, query: str) -> Cut:
        """How passages become spans for this question."""

    def _built(self, result: _Result) -> Document:
        """The result as a document of its own; the passages that it was made of are left as they were."""
        first = result.members[0]
        if result.span is None:
            return first
        segments = _segments(result.members, result.span)
        metadata = first.metadata | self._pages(first, result.span) | self._rows(first, result.span)
        metadata |= {"start": result.span.start, "end": result.span.end, "matched": tuple(result.marked)}
        metadata["segments"] = [tuple(segment.place) for segment in segments]
        metadata["segment_headings"] = [segment.heading for segment in segments]
        if all("segment_cosines" in member.metadata for member in result.members):
            metadata["segment_cosines"] = [segment.cosine for segment in segments]
        vectors = [segment.vector for segment in segments if segment.vector is not None]
        built = Candidate(id=first.id, page_content=result.text, metadata=metadata)
        return built.with_segment_vectors(np.stack(vectors) if vectors and len(vectors) == len(segments) else None)

    def _pages(self, first: Document, span: Span) -> dict[str, Any]:
        known = first.metadata
        if self.pages_of:
            pages = sorted(self.pages_of(known["doc_id"]), key=lambda page: page[1])
            page = next((number for number, start in reversed(pages) if start <= span.start), None)
        else:
            pages = list(known.get("later_pages", []))
            page = next((number for number, start in reversed(pages) if start <= span.start), known.get("page"))
        return {"page": page, "later_pages": [(number, start) for number, start in pages if span.start < start < span.end]}

    def _rows(self, first: Document, span: Span) -> dict[str, Any]:
        """The rows of all chunks of the same sheet that the span holds a part of."""
        known = first.metadata
        if self.rows_of is None or not known.get("rows"):
            return {}
        held = [each for each in self.rows_of(known["doc_id"]) if each.start < span.end and span.start < each.end]
        rows = [known["rows"], *(each.rows for each in held if each.sheet == known.get("sheet"))]
        return {"rows": [min(first for first, _ in rows), max(last for _, last in rows)]}


def passage_span(document: Document) -> Span:
    """Where a passage lies in its document."""
    start = document.metadata["start"]
    return Span(start, start + len(document.page_content))


def _result(document: Document, core: Span | None, taken: Sequence[Span], text: str | None, cut: Cut) -> _Result:
    if core is None or text is None or not _is_slice(document, text):
        return _Result([document])
    span = cut.grown(document, core, _free(core, taken, len(text)), text)
    return _Result([document], span, text[span.start : span.end], _marked(document, core, span))


def _has_place(document: Document) -> bool:
    """Whether the passage is a slice of its document's text."""
    return "doc_id" in document.metadata and "start" in document.metadata and not document.metadata.get("edited")


def _is_slice(document: Document, text: str) -> bool:
    """Whether the passage is of this text; of a document that was replaced a moment ago it may not be."""
    place = passage_span(document)
    return text[place.start : place.end] == document.page_content


@dataclass(frozen=True)
class _Segment:
    """A segment with what is known of it; `heading` is what it stands under within its own passage."""

    place: Span
    heading: str
    cosine: float | None
    vector: FloatArray | None


def _segments(members: Sequence[Document], span: Span) -> list[_Segment]:
    """The segments of the passages that lie in the span, by place; of those in equal places the best passage's."""
    found: dict[Span, _Segment] = {}
    for member in members:
        for segment in _own_segments(member):
            if _within(segment.place, span):
                found.setdefault(segment.place, segment)
    return [found[place] for place in sorted(found)]


def _own_segments(document: Document) -> Iterator[_Segment]:
    known = document.metadata
    vectors = document.segment_vectors if isinstance(document, Candidate) else None
    for number, place in enumerate(spans_of(document)):
        start, end = place
        heading = segment_text(document, number)[: start - end].removesuffix("\n")
        yield _Segment(
            Span(start, end),
            known["segment_headings"][number] if "segment_headings" in known else heading,
            known["segment_cosines"][number] if "segment_cosines" in known else None,
            vectors[number] if vectors is not None else None,
        )


def _free(core: Span, taken: Sequence[Span], length: int) -> Span:
    """The span around the core, in a text of that length, up to the next spans that are taken."""
    start = max((min(span.end, core.start) for span in taken if span.start < core.start), default=0)
    end = min((max(span.start, core.end) for span in taken if span.end > core.end), default=length)
    return Span(start, end)


def _marked(document: Document, core: Span, span: Span) -> Span:
    """What was found, as far as the span holds it: the passage, or what an expansion before this one had found; else the core."""
    found = Span(*document.metadata.get("matched", passage_span(document)))
    common = Span(max(found.start, span.start), min(found.end, span.end))
    return common if common.start < common.end else core


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
