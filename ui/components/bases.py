"""The choice of the knowledge base; creating, renaming and deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from store.errors import StoreError
from ui import state
from ui.components.failure import explain, explained
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services


_USED = "base_menu_used"
"""How often the menu has made a change: by its number the menu that comes next is another one, which is closed."""


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
    used = st.session_state.get(_USED, 0)
    with menu.container(key="base_menu").popover("", icon=":material/more_vert:", help=t("bases.menu"), key=f"base_menu:{used}"):
        _create(services)
        if services.library.bases():
            _rename(services, base)
            _delete(services, base)
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
    st.session_state[_USED] = st.session_state.get(_USED, 0) + 1
    st.rerun()


def _delete(services: Services, base: str) -> None:
    """Ask first, in the menu itself: a dialog over an open menu loses the first click."""
    if st.button(t("bases.delete", name=base), key="base_delete", icon=":material/delete:", type="tertiary"):
        st.session_state["deleting_base"] = base
    if st.session_state.get("deleting_base") != base:
        return
    st.markdown(t("bases.delete_text", name=base, count=len(state.documents(services, base))))
    if st.button(t("bases.delete_yes"), key="base_delete_yes", type="primary"):
        with explained():
            services.delete_base(base)
            del st.session_state["deleting_base"]
            state.leave_conversation()
            _close_and_draw()
