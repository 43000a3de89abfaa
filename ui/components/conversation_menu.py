"""The line above a conversation: its title, and a menu to rename it, keep it above the others, and export it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from chains.chat_file import exported
from store.chats import TITLE_LENGTH, Conversation, Message
from store.database import now
from ui.chat_markdown import as_markdown
from ui.components.failure import explained
from ui.safe import escape_markdown, whole_name
from ui.strings import t
from ui.turns import ChatTurn

if TYPE_CHECKING:
    from ui.services import Services

_LONGEST_FILE_NAME = 60


def show_menu(services: Services, conversation: Conversation, messages: Sequence[Message], shown: Sequence[ChatTurn]) -> None:
    """The line; `shown` are the turns of the branch that is looked at, which is the one that the Markdown holds."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="conversation_bar"):
        mark = ":material/keep: " if conversation.pinned else ""
        st.caption(f"{mark}{escape_markdown(conversation.title) or t('conversations.untitled')}")
        key = _key(conversation)
        menu = st.popover(
            "", icon=":material/more_vert:", type="tertiary", help=t("conversations.menu"), key=key, on_change="rerun"
        )
        if menu.open:  # an export of long answers is made when somebody may want it
            with menu:
                _rename(services, conversation)
                _pin(services, conversation)
                _export(conversation, messages, shown)


def file_name(title: str, suffix: str) -> str:
    """What an export is called: the title, as far as every file system takes it."""
    words = re.sub(r"[\W_]+", "-", whole_name(title)).strip("-")[:_LONGEST_FILE_NAME].strip("-")
    return f"glassbox-{words or 'conversation'}.{suffix}"


def _rename(services: Services, conversation: Conversation) -> None:
    key = f"conversation_title:{conversation.id}"

    def rename() -> None:
        if title := str(st.session_state[key]).strip():
            _do(conversation, lambda: services.chats.rename(conversation.id, title))

    with st.form(f"conversation_rename:{conversation.id}", border=False):
        st.text_input(t("conversations.rename"), conversation.title, key=key, max_chars=TITLE_LENGTH)
        button = f"conversation_renamed:{conversation.id}"
        st.form_submit_button(t("conversations.rename_button"), icon=":material/edit:", on_click=rename, key=button)


def _pin(services: Services, conversation: Conversation) -> None:
    st.button(
        t("conversations.unpin" if conversation.pinned else "conversations.pin"),
        key=f"conversation_pin:{conversation.id}",
        icon=":material/keep_off:" if conversation.pinned else ":material/keep:",
        type="tertiary",
        on_click=_do,
        args=(conversation, lambda: services.chats.pin(conversation.id, not conversation.pinned)),
    )


def _export(conversation: Conversation, messages: Sequence[Message], shown: Sequence[ChatTurn]) -> None:
    whole = exported(conversation, messages, shown=[turn.question.id for turn in shown], moment=now())
    files = {
        "md": (t("conversations.as_markdown"), as_markdown(conversation, shown), "text/markdown"),
        "json": (t("conversations.as_json"), json.dumps(whole, ensure_ascii=False, indent=1), "application/json"),
    }
    for suffix, (label, content, kind) in files.items():
        st.download_button(
            label,
            content,
            file_name=file_name(conversation.title, suffix),
            mime=kind,
            key=f"conversation_{suffix}:{conversation.id}",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )


def _key(conversation: Conversation) -> str:
    return f"conversation_menu:{conversation.id}"


def _do(conversation: Conversation, change: Callable[[], None]) -> None:
    """Make a change and close the menu."""
    with explained():
        change()
        st.session_state[_key(conversation)] = False
