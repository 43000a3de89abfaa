"""The conversations: a new one, another one, searching them, and deleting one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from store.chats import Conversation
from ui import state
from ui.components.conversation_import import show_import, show_refused
from ui.components.conversation_search import show_search
from ui.components.menus import ask, confirm
from ui.safe import escape_markdown
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

_MOST_SHOWN = 50


def show_conversations(services: Services) -> None:
    """The list, the pinned ones first and then the one last written to, or what is found of them."""
    conversations = services.chats.conversations()
    with st.expander(t("conversations.title", count=len(conversations)), key="conversations", icon=":material/forum:"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if st.button(t("conversations.new"), key="conversation_new", icon=":material/edit_square:", width="stretch"):
                state.leave_conversation()
                st.rerun()
            show_import(services)
        show_refused()
        if not conversations or not show_search(services):
            _list(services, conversations)


def _list(services: Services, conversations: Sequence[Conversation]) -> None:
    opened = state.conversation(services)
    bases = {each.name for each in services.library.bases()}
    with st.container(key="conversation_list", gap=None, height=280 if len(conversations) > 7 else "content"):
        for conversation in conversations[:_MOST_SHOWN]:
            is_open = opened is not None and opened.id == conversation.id
            _row(services, conversation, is_open=is_open, base_is_gone=conversation.base not in bases)
        if len(conversations) > _MOST_SHOWN:
            st.caption(t("conversations.older", count=len(conversations) - _MOST_SHOWN))


def _row(services: Services, conversation: Conversation, *, is_open: bool, base_is_gone: bool) -> None:
    title, remove = st.columns([7, 1], vertical_alignment="center", gap="small")
    words = escape_markdown(conversation.title) or t("conversations.untitled")
    words = f"**{words}**" if is_open else words
    label = f":material/keep: {words}" if conversation.pinned else words
    about = t("conversations.about_gone" if base_is_gone else "conversations.about", base=conversation.base)
    if title.button(label, key=f"open:{conversation.id}", type="tertiary", help=about):
        state.open_conversation(services, conversation)
        st.rerun()
    if remove.button(
        "", key=f"forget:{conversation.id}", icon=":material/delete:", type="tertiary", help=t("conversations.delete")
    ):
        ask(f"conversation:{conversation.id}")
    _confirm(services, conversation, is_open=is_open)


def _confirm(services: Services, conversation: Conversation, *, is_open: bool) -> None:
    def delete() -> None:
        services.chats.delete(conversation.id)
        if is_open:
            state.leave_conversation()

    words = [t("conversations.delete_text", title=conversation.title or t("conversations.untitled"))]
    asked, title, yes = f"conversation:{conversation.id}", t("conversations.delete_title"), t("conversations.delete")
    confirm(asked, title, words, yes=yes, delete=delete, key="conversation_delete_yes")
