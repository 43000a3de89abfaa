"""The preview: two ways to cut a file, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.components.preview import show_preview
from ui.pages.frame import frame

if TYPE_CHECKING:
    from ui.services import Services


def show(services: Services) -> None:
    """Draw the page."""
    show_preview(services, frame(services, "preview"))
