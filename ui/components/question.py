"""A question as it was asked; editing it, which begins a branch, and going to the branches that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from store.chats import Conversation
from ui import branches, state
from ui.components.failure import explained
from ui.safe import escape_markdown, shown_name
from ui.strings import t
from ui.turns import ChatTurn

if TYPE_CHECKING:
    from ui.services import Services


def show_question(services: Services, conversation: Conversation, turn: ChatTurn) -> None:
    """The question with its files, or the form that changes its words."""
    with st.chat_message("user", avatar=":material/person:"):
        if branches.edited() == turn.question.id:
            _form(services, conversation, turn)
            return
        st.markdown(escape_markdown(turn.question.text))
        files = (turn.question.payload or {}).get("files") or []
        if files:
            st.caption(f":material/attach_file: {escape_markdown(', '.join(shown_name(name) for name in files))}")
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"question:{turn.question.id}"):
            _versions(services, conversation, turn)
            st.button(
                "",
                key=f"edit:{turn.question.id}",
                icon=":material/edit:",
                type="tertiary",
                help=t("question.edit"),
                on_click=branches.edit,
                args=(turn.question.id,),
            )


def _versions(services: Services, conversation: Conversation, turn: ChatTurn) -> None:
    """Where the question was asked in other words too: which of them this is, and the way to the one before and after it."""
    count = len(turn.versions)
    if count < 2:
        return
    place = turn.versions.index(turn.question.id)

    def go(step: int) -> None:
        with explained():
            branches.switch(services, conversation.id, turn.versions[place + step])

    for step, name, icon in ((-1, "before", "chevron_left"), (1, "after", "chevron_right")):
        if step > 0:
            st.caption(t("question.version", number=place + 1, count=count), width="content")
        st.button(
            "",
            key=f"version_{name}:{turn.question.id}",
            icon=f":material/{icon}:",
            type="tertiary",
            help=t("question.version_before" if step < 0 else "question.version_after"),
            disabled=not 0 <= place + step < count,
            on_click=go,
            args=(step,),
        )


def _form(services: Services, conversation: Conversation, turn: ChatTurn) -> None:
    key = f"edit_text:{turn.question.id}"

    def ask() -> None:
        """Ask what is written now. The same words would be a branch like the old one: to answer again there is a button."""
        words = str(st.session_state[key]).strip()
        if not words:
            return
        branches.edit(None)
        if words != turn.question.text:
            with explained():
                asked = services.chats.edit(conversation.id, turn.question.id, words, payload=turn.question.payload)
                branches.stay(conversation.id, asked.id)
                state.ask(asked.id)

    with st.form(f"edit_form:{turn.question.id}", border=False):
        st.text_area(t("question.edit"), turn.question.text, key=key, label_visibility="collapsed")
        st.caption(t("question.edit_about"))
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button(t("question.ask"), type="primary", on_click=ask, key=f"edit_ask:{turn.question.id}")
            cancel = f"edit_cancel:{turn.question.id}"
            st.form_submit_button(t("question.cancel"), on_click=branches.edit, args=(None,), key=cancel)
