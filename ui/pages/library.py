"""The library: knowledge bases, what is added to them, and their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.components.jobs import show_under_way
from ui.components.library_add import show_adding
from ui.components.library_bases import show_shelf
from ui.components.library_documents import show_documents
from ui.components.library_enrich import show_enriching
from ui.components.library_gathering import show_gathering
from ui.components.library_passport import show_passport
from ui.pages.frame import frame

if TYPE_CHECKING:
    from ui.services import Services


def show(services: Services) -> None:
    """Draw the page."""
    base = frame(services, "library")
    show_shelf(services, base)
    show_adding(services, base)
    show_gathering(services, base)
    show_under_way(services, base)
    show_documents(services, base)
    show_enriching(services, base)
    show_passport(services, base)
