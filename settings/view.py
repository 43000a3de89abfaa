"""The settings of the document view, which shows pages as they look."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from settings.section import Section


class ViewSettings(Section):
    """What drawing one page may take, in a process of its own; its memory is bounded by `ingest.parse.memory_mb`.

    `width` is that of a page in pixels before it is enlarged; `cache_mb` of drawn pages are kept in memory.
    """

    width: Annotated[int, Field(ge=300, le=2400)] = 1000
    timeout_seconds: Annotated[float, Field(ge=1, le=600)] = 60.0
    cache_mb: Annotated[int, Field(ge=0, le=4096)] = 64
