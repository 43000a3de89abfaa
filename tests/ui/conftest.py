"""Services on a folder of their own, real ones and fakes, and browser sessions on the fakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import FakeServices
from tests.ui.pages import chat
from ui.services import Services


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    services = Services()
    yield services
    services.close()


@pytest.fixture
def services(tmp_path: Path) -> Iterator[FakeServices]:
    made = FakeServices(tmp_path)
    yield made
    made.close()


@pytest.fixture
def open_page(services: FakeServices) -> Callable[[], AppTest]:
    """A new browser session on the same services."""
    return lambda: chat(services)
