"""The real services on a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ui.services import Services


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    services = Services()
    yield services
    services.close()
