"""The choice of the knowledge base; creating, renaming and deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from store.errors import StoreError
from ui import state
from ui.components.failure import explain
from ui.components.menus import ask, close, confirm, menu_key
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services

_MENU = "base_menu_popover"


def show_bases(services: Services) -> str:
    """The choice and the menu beside it; gives the name of the base in use."""
    base = state.base(services)
    names = [each.name for each in services.library.bases()] or [base]
    choice, menu = st.columns([5, 1], vertical_alignment="bottom", gap="small")
    st.session_state["base_choice"] = base
    choice.selectbox(
        t("bases.label"),
        names,
        key="base_choice",
        on_change=lambda: state.choose_base(services, st.session_state["base_choice"]),
    )
    key = menu_key(_MENU)
    with menu.container(key="base_menu").popover("", icon=":material/more_vert:", help=t("bases.menu"), key=key):
        _create(services)
        if services.library.bases():
            _rename(services, base)
            st.button(
                t("bases.delete", name=base),
                key="base_delete",
                icon=":material/delete:",
                type="tertiary",
                on_click=ask,
                args=(f"base:{base}", _MENU),
            )
    confirm_delete(services, base, asked=f"base:{base}")
    if len(names) > 1:
        _also(services, [name for name in names if name != base])
    return base


def _also(services: Services, others: list[str]) -> None:
    """Further bases to ask at the same time; files go to the one that is chosen above."""
    state.put("base_also", state.also(services))
    st.multiselect(
        t("bases.also"),
        others,
        key="base_also",
        help=t("bases.also_help"),
        placeholder=plain("bases.none_also"),
        on_change=lambda: state.choose_also(services, st.session_state["base_also"]),
    )


def _create(services: Services) -> None:
    with st.form("base_create", clear_on_submit=True, border=False):
        name = st.text_input(t("bases.new"), key="base_new_name", max_chars=80)
        if st.form_submit_button(t("bases.create"), icon=":material/add:") and name.strip():
            _apply(services, lambda: services.library.ensure_base(name).name)


def _rename(services: Services, base: str) -> None:
    with st.form("base_rename", clear_on_submit=True, border=False):
        name = st.text_input(t("bases.rename", name=base), key="base_other_name", max_chars=80)
        if st.form_submit_button(t("bases.rename_button"), icon=":material/edit:") and name.strip():
            _apply(services, lambda: services.rename_base(base, name))


def _apply(services: Services, change: object) -> None:
    """Make the change, which gives the name of the base to use from now on."""
    try:
        name = change()  # type: ignore[operator]
    except StoreError as error:
        st.error(explain(error))
        return
    state.choose_base(services, name)
    _close_and_draw()


def _close_and_draw() -> None:
    close(_MENU)
    st.rerun()


def confirm_delete(services: Services, base: str, *, asked: str) -> None:
    """Ask before a base is deleted, if that is `asked`."""

    def delete() -> None:
        services.delete_base(base)
        state.leave_conversation()

    words = [t("bases.delete_text", name=base, count=len(state.documents(services, base)))]
    confirm(
        asked,
        t("library.delete_base_title"),
        words,
        yes=t("bases.delete_yes"),
        delete=delete,
        key=f"{asked.partition(':')[0]}_delete_yes",
    )
