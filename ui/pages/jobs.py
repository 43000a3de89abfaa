"""The jobs: every file that was handed over, how far it is, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.components.jobs import show_jobs
from ui.pages.frame import frame

if TYPE_CHECKING:
    from ui.services import Services


def show(services: Services) -> None:
    """Draw the page."""
    frame(services, "jobs")
    show_jobs(services)
