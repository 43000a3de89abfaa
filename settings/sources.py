"""How documents are fetched from web addresses and folders."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from settings.section import Seconds, Section


class SourcesSettings(Section):
    """What fetching may take and reach. A page may be as large as any file (`ingest.max_file_mb`).

    `pause_seconds` lie between two requests to one site, or more where its robots.txt asks for more (up to a minute);
    `settle_seconds` is how long a file of a watched folder must stay as it is before it is read.
    """

    allow_private_addresses: bool = False
    respect_robots: bool = True
    timeout_seconds: Seconds = 60.0
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 5
    pause_seconds: Annotated[float, Field(ge=0, le=60)] = 0.5
    max_pages: Annotated[int, Field(ge=1, le=100_000)] = 500
    max_sitemaps: Annotated[int, Field(ge=1, le=1000)] = 50
    settle_seconds: Annotated[float, Field(ge=0.05, le=60)] = 1.0
    poll: bool = False
