"""How documents are fetched from web addresses and folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from settings.section import Seconds, Section


class SourcesSettings(Section):
    """What fetching may take and reach. A page may be as large as any file (`ingest.max_file_mb`).

    `folders` are those of this machine that may be read from the page, with all that is in them: who can open the page need not
    be who owns the machine. As one text, such as in an environment variable, they are parted as in PATH or listed as in
    config.yaml. The command line reads what its user may. `pause_seconds` lie between two requests to one site, or more where
    its robots.txt asks for more (up to a minute); `settle_seconds` is how long a file of a watched folder must stay as it is
    before it is read.
    """

    folders: Annotated[tuple[Path, ...], NoDecode] = ()
    allow_private_addresses: bool = False
    respect_robots: bool = True
    timeout_seconds: Seconds = 60.0
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 5
    pause_seconds: Annotated[float, Field(ge=0, le=60)] = 0.5
    max_pages: Annotated[int, Field(ge=1, le=100_000)] = 500
    max_sitemaps: Annotated[int, Field(ge=1, le=1000)] = 50
    settle_seconds: Annotated[float, Field(ge=0.05, le=60)] = 1.0
    poll: bool = False

    @field_validator("folders", mode="before")
    @classmethod
    def _parted(cls, value: Any) -> Any:
        """The paths of one text, "" for none."""
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):  # no whole path does
            return _listed(value)
        return [part for part in value.split(os.pathsep) if part.strip()]

    @field_validator("folders")
    @classmethod
    def _is_sure(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        """Paths that mean the same wherever the app is started."""
        folders = tuple(path.expanduser() for path in value)
        if not all(path.is_absolute() for path in folders):
            raise ValueError("must be whole paths of folders, such as /srv/documents")
        return folders


def _listed(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError("must be whole paths of folders, listed such as [/srv/documents, /srv/more]") from None
