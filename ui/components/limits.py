"""Search only in: documents, types, tags, days and pages; and the chips that say so above an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from retrievers.self_query import STAGE as SELF_QUERY
from ui import limits, state
from ui.components.knobs import MARK
from ui.safe import escape_html, whole_name
from ui.strings import plain, t

_SELF_QUERY = "retrieval.self_query.enabled"

if TYPE_CHECKING:
    from ui.services import Services


def show_limits(services: Services) -> None:
    """The controls, and a button that takes all limits away."""
    documents = [each for name in state.bases(services) for each in state.documents(services, name)]
    options = limits.options_of(documents)
    state.set_limits(limits.still_there(state.limits(), options))
    is_limited = bool(state.limits())
    title = f"{t('limits.title')} {MARK}" if is_limited else t("limits.title")
    with st.expander(title, key="limits", icon=":material/filter_list:"):
        for name in limits.LISTS:
            if options[name]:
                _list(name, options[name])
        with st.container(horizontal=True, gap="small"):
            for name in ("after", "before"):
                st.date_input(t(f"limits.{name}"), None, key=_kept(name), format="YYYY-MM-DD", on_change=_take, args=(name,))
        with st.container(horizontal=True, gap="small"):
            for name in ("first_page", "last_page"):
                st.number_input(t(f"limits.{name}"), 1, 99_999, None, key=_kept(name), on_change=_take, args=(name,))
        if is_limited:
            st.button(
                t("limits.clear"), key="limits_clear", icon=":material/filter_list_off:", on_click=state.set_limits, args=({},)
            )


def chips(kept: Mapping[str, Any], *, title: str = "limits.active") -> str:
    """The limits of a filter's JSON as HTML for `st.html`; "" when there are none."""
    said = limits.words(kept)
    if not said:
        return ""
    shown = "".join(f'<span class="gb-term">{escape_html(word)}</span>' for word in said)
    return f'<p class="gb-terms">{escape_html(plain(title))} {shown}</p>'


def show_asked_limits(services: Services, retrieval: Mapping[str, Any], *, key: str) -> None:
    """The limits that the question itself named, as chips; one button makes them everybody's, another one does without them."""
    notes = (note for note in retrieval.get("notes", ()) if note.get("code") == SELF_QUERY)
    named = next((note["params"].get("filter") for note in notes), None)
    if not named:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"asked_limits:{key}"):
        st.html(chips(named, title="limits.asked"))
        wanted = {**state.limits(), **limits.from_json(named)}
        buttons = (
            ("asked_keep", ":material/keep:", state.set_limits, (wanted,), wanted != state.limits()),
            (
                "asked_without",
                ":material/filter_list_off:",
                state.change,
                (services, {_SELF_QUERY: False}),
                state.value(_SELF_QUERY),
            ),
        )
        for name, icon, act, args, is_useful in buttons:
            if is_useful:
                words, button = t(f"limits.{name}"), f"{name}:{key}"
                st.button(words, key=button, type="tertiary", icon=icon, on_click=act, args=args)


def _list(name: str, options: list[str]) -> None:
    st.multiselect(
        t(f"limits.{name}"),
        options,
        key=_kept(name),
        format_func=whole_name,
        placeholder=plain("limits.any"),
        on_change=_take,
        args=(name,),
    )


def _kept(name: str) -> str:
    """Put the present value into the control, and give its key."""
    key = f"limit:{name}"
    value = state.limits().get(name)
    state.put(key, list(value or ()) if name in limits.LISTS else value)
    return key


def _take(name: str) -> None:
    entered = st.session_state[f"limit:{name}"]
    state.set_limits({key: value for key, value in {**state.limits(), name: entered}.items() if value})
