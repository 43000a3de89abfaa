"""The pages of the app and the menu that leads to them; the chat is the one at the root."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.navigation.page import Page

from ui import page, state
from ui.pages import chunks, jobs, library, preview, prompts
from ui.strings import plain

if TYPE_CHECKING:
    from ui.services import Services

_ICONS = {
    "chat": ":material/forum:",
    "library": ":material/library_books:",
    "jobs": ":material/pending_actions:",
    "chunks": ":material/segment:",
    "preview": ":material/content_cut:",
    "prompts": ":material/edit_note:",
}
SCREENS: dict[str, Callable[[Services], None]] = {
    "library": library.show,
    "jobs": jobs.show,
    "chunks": chunks.show,
    "preview": preview.show,
    "prompts": prompts.show,
}


def run(services: Services) -> None:
    """Draw the menu, and the page that is chosen in it."""
    state.start(services)
    with state.reading_documents_once():
        st.navigation([_page(services, name) for name in ("chat", *SCREENS)], position="top").run()


def _page(services: Services, name: str) -> Page:
    def shown() -> None:
        if name == "chat":
            state.return_to_conversation()
            page.show(services)
        else:
            SCREENS[name](services)

    # Without a path of its own, the default page would be at the root only as long as it is called main.
    path = None if name == "chat" else name
    return st.Page(shown, title=plain(f"nav.{name}"), icon=_ICONS[name], url_path=path, default=name == "chat")
