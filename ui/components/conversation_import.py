"""Taking in a conversation that was exported as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from chains.chat_import import LARGEST_MB, ChatFileError, parse
from store.chat_restore import restore
from ui import state
from ui.components.failure import explained
from ui.components.menus import close, menu_key
from ui.strings import say, t

if TYPE_CHECKING:
    from ui.services import Services

_ROUND, _TOLD, _MENU = "conversation_import_round", "conversation_import_told", "conversation_import_menu"


def show_import(services: Services) -> None:
    """The menu with the box for the file."""
    key = f"conversation_import:{st.session_state.get(_ROUND, 0)}"

    def take() -> None:
        file = st.session_state.get(key)
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
        close(_MENU)
        if file is None:
            return
        with explained():
            try:
                state.open_conversation(services, restore(services.chats, parse(file.getvalue())))
            except ChatFileError as error:
                st.session_state[_TOLD] = say("chat_file", {"code": error.code, "params": error.params})

    with st.popover("", icon=":material/upload:", type="tertiary", help=t("conversations.import"), key=menu_key(_MENU)):
        st.file_uploader(t("conversations.import"), ["json"], key=key, on_change=take, max_upload_size=LARGEST_MB)


def show_refused() -> None:
    """Why the last file was refused, once."""
    if told := st.session_state.pop(_TOLD, None):
        st.error(told)
