"""The settings of ingestion: how files are read, cut into chunks and enriched, from then on.

Sizes are in characters of Latin text; a Chinese, Japanese or Korean character counts as 2.5, as it carries about that much more.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from settings.enrich import EnrichSettings
from settings.section import Section, Share

ChunkerName = Literal[
    "auto",
    "semantic",
    "fixed",
    "sentence",
    "recursive",
    "token",
    "structure",
    "markdown_recursive",
    "hierarchical",
    "sentence_window",
    "rows",
]
BreakpointType = Literal["percentile", "standard_deviation", "interquartile", "gradient"]


class OcrSettings(Section):
    """Text in pictures and on pages without a text layer. Lines below `min_confidence` are left out."""

    enabled: bool = True
    min_confidence: Share = 0.5


class ParseSettings(Section):
    """What reading one file may take, in a process of its own; `max_expanded_mb` is what a packed format may grow to."""

    timeout_seconds: Annotated[float, Field(ge=1, le=86_400)] = 600.0
    memory_mb: Annotated[int, Field(ge=256, le=65_536)] = 4096
    max_expanded_mb: Annotated[int, Field(ge=1, le=65_536)] = 1024
    max_entries: Annotated[int, Field(ge=1, le=100_000)] = 1000


def _number_or_none(value: Any) -> Any:
    return None if value == AUTO else value


AUTO = "auto"
Overlap = Annotated[
    int | None,
    Field(ge=0, le=2000),
    BeforeValidator(_number_or_none),
    PlainSerializer(lambda value: AUTO if value is None else value, when_used="json"),
]
"""A width, or None: a share that suits the chunker. In files, options and JSON, None is the word auto."""

OVERLAPPING = frozenset({"fixed", "sentence", "recursive", "markdown_recursive", "token"})
"""Chunkers whose chunks repeat a fifth of the one before, unless chunk_overlap says otherwise."""
OVERLAP_SHARE = 0.2


class IngestSettings(Section):
    """How files become chunks, from then on. The minimum and the overlap count up to half of chunk_size."""

    chunker: ChunkerName = "auto"
    chunk_size: Annotated[int, Field(ge=100, le=8000)] = 1200
    min_chunk_size: Annotated[int, Field(ge=1, le=4000)] = 300
    chunk_overlap: Overlap = None
    chunk_tokens: Annotated[int, Field(ge=32, le=2048)] = 384
    chunk_sentences: Annotated[int, Field(ge=1, le=200)] = 8
    parent_size: Annotated[int, Field(ge=200, le=20_000)] = 3000
    window_sentences: Annotated[int, Field(ge=0, le=20)] = 3
    segment_size: Annotated[int, Field(ge=50, le=1500)] = 300
    breakpoint_type: BreakpointType = "percentile"
    breakpoint_amount: Annotated[float, Field(ge=0, le=100)] = 90.0
    chunk_vector: Literal["mean", "direct"] = "mean"
    max_file_mb: Annotated[int, Field(ge=1, le=2048)] = 100
    ocr: OcrSettings = OcrSettings()
    parse: ParseSettings = ParseSettings()
    enrich: EnrichSettings = EnrichSettings()

    @property
    def overlap(self) -> int:
        """The overlap as a width, when it is left to the chunker as well."""
        if self.chunk_overlap is not None:
            return self.chunk_overlap
        return round(OVERLAP_SHARE * self.chunk_size) if self.chunker in OVERLAPPING else 0
