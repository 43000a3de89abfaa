"""The side panel, from top to bottom as a person sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import state, strings
from ui.components.bases import show_bases
from ui.components.conversations import show_conversations
from ui.components.documents import show_documents
from ui.components.limits import show_limits
from ui.components.models import show_models
from ui.components.routing import show_conversation
from ui.components.tune import show_answering, show_chunking, show_layers, show_retrieval
from ui.components.uploads import show_upload
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services


def show_sidebar(services: Services) -> None:
    """Everything beside the chat."""
    show_title(services)
    base = show_bases(services)
    show_upload(services, base)
    show_documents(services, base)
    show_limits(services)
    show_conversations(services)
    show_retrieval(services)
    show_layers(services)
    show_conversation(services)
    show_answering(services)
    show_chunking(services)
    show_models(services)


def show_title(services: Services) -> None:
    """The name of the app, and the choice of the language."""
    name, language = st.columns([5, 7], vertical_alignment="center")
    name.markdown(f"### {t('app.name')}")
    language.segmented_control(
        t("language.label"),
        list(strings.LANGUAGES),
        key="language_choice",
        default=strings.current(),  # in every run: without one, a browser that has not drawn it yet says that nothing is chosen
        format_func=strings.LANGUAGES.__getitem__,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: state.choose_language(services, st.session_state["language_choice"]),
    )
