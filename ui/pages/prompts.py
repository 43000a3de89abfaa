"""The prompts: what models are told, and texts of one's own in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.components.prompts import show_prompts
from ui.pages.frame import frame

if TYPE_CHECKING:
    from ui.services import Services


def show(services: Services) -> None:
    """Draw the page."""
    frame(services, "prompts")
    show_prompts(services)
