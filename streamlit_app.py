"""Glassbox's page: `streamlit run streamlit_app.py`, or `make run`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui import pages
from ui.components.failure import explained
from ui.services import Services

ICON = Path(__file__).parent / "ui" / "icon.svg"  # of our own: for an icon by name, the browser would ask a foreign server
SIDEBAR_PIXELS = 340


@st.cache_resource(show_spinner=False, on_release=lambda services: services.close())
def open_services() -> Services:
    """The app behind the page, one for all sessions."""
    return Services()


st.set_page_config(page_title="Glassbox", page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR_PIXELS)
with explained():
    pages.run(open_services())
