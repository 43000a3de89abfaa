"""The jobs: what is being read and written behind the page, and every file that was handed over, with what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.components.jobs import show_jobs
from ui.components.library_enriching import show_run
from ui.components.library_gathering import show_gathering
from ui.pages.frame import frame
from ui.safe import escape_markdown

if TYPE_CHECKING:
    from ui.services import Services


def show(services: Services) -> None:
    """Draw the page."""
    frame(services, "jobs")
    for base in services.library.bases():
        if services.gathering.progress(base.id) or services.enriching.progress(base.id):
            st.markdown(f"**{escape_markdown(base.name)}**")
        show_gathering(services, base.name)
        show_run(services, base)
    show_jobs(services)
