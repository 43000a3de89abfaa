"""One knob: the control that fits its setting, marked where it differs from the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from settings.ingest import AUTO
from ui import state, tuning
from ui.strings import current, t
from ui.tuning import Knob
from ui.wording import value_of

if TYPE_CHECKING:
    from ui.services import Services

MARK = ":orange[●]"
_LONGEST_TEXT = 500


def show_knob(services: Services, name: str, *, disabled: bool = False, note: str = "") -> None:
    """The control of a setting; `note` is added to its help, as Markdown."""
    knob = tuning.knobs()[name]
    value = state.value(name)
    if name == tuning.OVERLAP and value == AUTO:
        value = state.settings(services).ingest.overlap
    key, label, about = _keyed(knob, value), _label(knob, note), _help(knob, note)

    def turned() -> None:
        entered: Any = st.session_state[key]
        state.change(services, {name: entered.strip() if isinstance(entered, str) else entered})

    if knob.kind == "switch":
        st.toggle(label, key=key, help=about, disabled=disabled, on_change=turned)
    elif knob.kind == "choice":
        st.selectbox(
            label, knob.options, key=key, help=about, on_change=turned, format_func=lambda option: value_of(name, option)
        )
    elif knob.kind == "text":
        st.text_input(label, key=key, help=about, max_chars=_LONGEST_TEXT, on_change=turned)
    else:
        low, high = (min(knob.low, value), max(knob.high, value)) if knob.is_typed else knob.range_for(value)
        if knob.is_typed:
            st.number_input(label, low, high, step=knob.step, key=key, help=about, disabled=disabled, on_change=turned)
        else:
            st.slider(label, low, high, step=knob.step, key=key, help=about, disabled=disabled, on_change=turned)


def differs(names: list[str]) -> bool:
    """Whether one of these settings is not as configured."""
    return any(name in state.changes() for name in names)


def marked(words: str, names: list[str]) -> str:
    """A label, with the mark if one of these settings is not as configured."""
    return f"{words} {MARK}" if differs(names) else words


def _label(knob: Knob, note: str) -> str:
    icon = " :gray[:material/smart_toy:]" if note else ""
    return marked(t(f"knob.{knob.short}") + icon, [knob.name])


def _help(knob: Knob, note: str) -> str:
    about = [t(f"knob.{knob.short}_help"), note]
    if knob.name in state.changes():
        about.append(t("tuning.default", value=value_of(knob.name, state.configured()[knob.name])))
    return "  \n".join(part for part in about if part)


def _keyed(knob: Knob, value: Any) -> str:
    """Put the present value into the control: what is not drawn in a run is forgotten by Streamlit, but not by us.

    A choice has one control a language: the browser sends the label, and that of another language is no option.
    """
    key = state.knob_key(knob.name) + (f":{current()}" if knob.kind == "choice" else "")
    state.put(key, value)
    return key
