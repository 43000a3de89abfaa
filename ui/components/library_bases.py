"""The shelf: every knowledge base with what it holds; the one in use can be renamed and deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from store.bases import LONGEST_NAME, Base
from store.errors import StoreError
from store.sizes import BaseSize, sizes
from ui import state
from ui.components.bases import confirm_delete
from ui.components.failure import explain
from ui.components.menus import ask
from ui.figures import byte_words, count_words
from ui.safe import escape_markdown, name_help, shown_name
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

_COLUMNS = 40


def show_shelf(services: Services, chosen: str) -> None:
    """The bases in rows, and a button for a new one."""
    held = sizes(services.library)
    with st.container(key="shelf", gap="xsmall"):
        for base in services.library.bases():
            _row(services, base, held.get(base.id, BaseSize()), is_chosen=base.name == chosen)
        if not held:
            st.caption(t("library.no_bases"))
        if st.button(t("bases.new"), key="shelf_new", icon=":material/add:", type="tertiary"):
            _ask_name(services, t("bases.new"), "", lambda name: services.library.ensure_base(name).name)


def _row(services: Services, base: Base, size: BaseSize, *, is_chosen: bool) -> None:
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", border=is_chosen)
    name = escape_markdown(shown_name(base.name, columns=_COLUMNS))
    row.button(
        f"**{name}**" if is_chosen else name,
        key=f"shelf:{base.id}",
        icon=":material/folder_open:" if is_chosen else ":material/folder:",
        type="tertiary",
        help=name_help(base.name, columns=_COLUMNS),
        on_click=state.choose_base,
        args=(services, base.name),
    )
    figures = [t("library.documents", count=count_words(size.documents)), t("upload.chunks", count=count_words(size.chunks))]
    row.markdown(f":small[:gray[{' · '.join([*figures, byte_words(size.files_bytes + size.index_bytes)])}]]", width="stretch")
    if not is_chosen:
        return
    if row.button("", key="shelf_rename", icon=":material/edit:", type="tertiary", help=t("bases.rename_button")):
        title = t("bases.rename", name=base.name)
        _ask_name(services, title, base.name, lambda entered: services.rename_base(base.name, entered))
    if row.button("", key="shelf_delete", icon=":material/delete:", type="tertiary", help=t("bases.delete", name=base.name)):
        ask(f"shelf:{base.name}")
    confirm_delete(services, base.name, asked=f"shelf:{base.name}")


def _ask_name(services: Services, title: str, before: str, change: Callable[[str], str]) -> None:
    """Ask for a name; `change` makes the change and gives the name of the base to use from then on."""

    @st.dialog(title)
    def ask() -> None:
        with st.form("shelf_name", border=False):
            entered = st.text_input(title, before, key="shelf_name_text", max_chars=LONGEST_NAME, label_visibility="collapsed")
            if st.form_submit_button(t("library.save"), type="primary") and entered.strip():
                try:
                    name = change(entered)
                except StoreError as error:
                    st.error(explain(error))
                    return
                state.choose_base(services, name)
                st.rerun()

    ask()
