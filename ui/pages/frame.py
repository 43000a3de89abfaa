"""What the pages beside the chat have in common: the style, and a side panel with the language and the knowledge base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import page, state
from ui.components.bases import show_bases
from ui.components.sidebar import show_title
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services


def frame(services: Services, name: str) -> str:
    """Draw it and the heading of the page `name`; gives the knowledge base in use."""
    state.start(services)
    page.show_style()
    with st.sidebar:
        show_title(services)
        base = show_bases(services)
        st.caption(t(f"nav.{name}_about"))
    st.markdown(f"## {t(f'nav.{name}')}")
    return base
