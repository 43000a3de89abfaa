"""What a person thinks of an answer: a thumb and a comment, below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from store.chats import Message
from store.ratings import LONGEST_COMMENT, Thumb
from ui import state
from ui.components.failure import explained
from ui.components.menus import close, menu_key
from ui.safe import escape_markdown
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

_THUMBS: tuple[Thumb, ...] = ("down", "up")
"""In the order of st.feedback's values, 0 and 1."""


def show_rating(services: Services, answer: Message) -> None:
    """The thumbs, the comment, and the menu to write one; what another tab changed shows here as well."""
    thumb, comment, menu_name = f"thumb:{answer.id}", f"comment:{answer.id}", f"comment_menu:{answer.id}"
    given, said = (answer.rating.thumb, answer.rating.comment) if answer.rating else (None, "")
    state.put(thumb, _THUMBS.index(given) if given else None)
    state.put(comment, said)

    def rate() -> None:
        chosen = st.session_state[thumb]
        _keep(lambda: services.chats.ratings.rate(answer.id, None if chosen is None else _THUMBS[chosen]))

    def say() -> None:
        _keep(lambda: services.chats.ratings.comment(answer.id, st.session_state[comment]))
        close(menu_name)

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"rating:{answer.id}"):
        st.feedback("thumbs", key=thumb, on_change=rate)
        icon, about = ":material/comment:", t("rating.comment")
        menu = st.popover("", icon=icon, type="tertiary", help=about, key=menu_key(menu_name))
        with menu, st.form(f"comment_form:{answer.id}", border=False):
            st.text_area(t("rating.comment"), key=comment, max_chars=LONGEST_COMMENT)
            st.form_submit_button(t("rating.save"), on_click=say, key=f"comment_save:{answer.id}")
    if said:
        st.caption(f":material/comment: {escape_markdown(said)}")


def _keep(change: Callable[[], None]) -> None:
    with explained():
        change()
