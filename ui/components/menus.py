"""Menus that close when their action is done, and the one question that is asked before anything is deleted.

Streamlit keeps a popover open until a person clicks beside it. One with another key is another one, and begins closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from ui.components.failure import explained

_CLOSED, _ASKED = "menus_closed", "deletion_asked"


def menu_key(name: str) -> str:
    """The key for the popover `name`: the name, until it has been closed once."""
    times = st.session_state.get(_CLOSED, {}).get(name, 0)
    return f"{name}:{times}" if times else name


def close(name: str) -> None:
    """Have the popover closed when the page is drawn next."""
    closed = st.session_state.setdefault(_CLOSED, {})
    closed[name] = closed.get(name, 0) + 1


def ask(deletion: str, menu: str = "") -> None:
    """Have `confirm` ask for this deletion, until it is done or the question is closed.

    The menu that the button stands in is closed: a dialog over an open one loses the first click.
    """
    if menu:
        close(menu)
    st.session_state[_ASKED] = deletion


def confirm(deletion: str, title: str, words: Sequence[str], *, yes: str, delete: Callable[[], None], key: str) -> None:
    """If it is asked for, ask before something is deleted that cannot be had back. All is Markdown; `key` is the button's."""
    if st.session_state.get(_ASKED) != deletion:
        return

    @st.dialog(title, on_dismiss=_leave)
    def question() -> None:
        for paragraph in words:
            st.markdown(paragraph)
        if st.button(yes, key=key, type="primary", icon=":material/delete:"):
            with explained():
                delete()
                _leave()
                st.rerun()

    question()


def _leave() -> None:
    st.session_state.pop(_ASKED, None)
