"""The chunk browser: what of a document is found, where it begins and ends, and correcting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.components.chunks import show_chunks
from ui.pages.frame import frame

if TYPE_CHECKING:
    from ui.services import Services


def show(services: Services) -> None:
    """Draw the page."""
    show_chunks(services, frame(services, "chunks"))
