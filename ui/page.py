"""The page as a whole: the side panel and the chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from ui import state
from ui.components.chat import show_chat, take_input
from ui.components.sidebar import show_sidebar
from ui.strings import plain

if TYPE_CHECKING:
    from ui.services import Services

_STYLE = Path(__file__).parent / "style.css"


def show(services: Services) -> None:
    """Draw the page for one session. The chat box comes first, so that what was entered shows everywhere below."""
    state.start(services)
    show_style()
    take_input(services)
    with st.sidebar:
        show_sidebar(services)
    show_chat(services)


def show_style() -> None:
    """The style of every page."""
    st.html(_STYLE)
    st.html(f"<style>{_streamlit_words()}</style>")


def _streamlit_words() -> str:
    """CSS that puts words of ours over those of Streamlit's own upload box, which speaks English only."""
    limit = plain("upload.limit", mb=st.get_option("server.maxUploadSize"))
    box = '[data-testid="stFileUploaderDropzone"]'
    words = {f"{box} button p": plain("upload.browse"), f'{box} [data-testid="stFileUploaderDropzoneInstructions"] span': limit}
    hide = "{font-size: 0; line-height: 1.2}"
    return "".join(
        f"{at} {hide} {at}::after {{content: {json.dumps(word, ensure_ascii=False)}; font-size: 0.85rem}}"
        for at, word in words.items()
    )
