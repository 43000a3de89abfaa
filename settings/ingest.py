"""The settings of ingestion: how files are read, cut into chunks and enriched, from then on.

Sizes are in characters of Latin text; a Chinese, Japanese or Korean character counts as 2.5, as it carries about that much more.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from settings.section import Section, Share

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


class IngestSettings(Section):
    """How files become chunks, from then on. The minimum and the overlap count up to half of chunk_size."""

    chunker: Literal["semantic"] = "semantic"
    chunk_size: Annotated[int, Field(ge=100, le=8000)] = 1500
    min_chunk_size: Annotated[int, Field(ge=1, le=4000)] = 300
    chunk_overlap: Annotated[int, Field(ge=0, le=2000)] = 0
    segment_size: Annotated[int, Field(ge=50, le=1500)] = 300
    breakpoint_type: BreakpointType = "percentile"
    breakpoint_amount: Annotated[float, Field(ge=0, le=100)] = 90.0
    chunk_vector: Literal["mean", "direct"] = "mean"
    max_file_mb: Annotated[int, Field(ge=1, le=2048)] = 100
    ocr: OcrSettings = OcrSettings()
    parse: ParseSettings = ParseSettings()
