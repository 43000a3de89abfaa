"""The sliders that tune retrieval and chunking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from settings import Fusion
from ui import state, tuning
from ui.strings import current, t

if TYPE_CHECKING:
    from ui.services import Services


def show_retrieval(services: Services) -> None:
    """What decides which passages are found; a change shows at once in those of the last question."""
    with st.expander(t("tuning.retrieval"), key="tuning_retrieval", icon=":material/tune:", expanded=True):
        st.caption(t("tuning.retrieval_note"))
        _slider(services, "retrieval.vector_weight")
        _slider(services, "retrieval.top_k")
        _slider(services, "retrieval.depth")
        _fusion(services)
        _slider(services, tuning.RRF_CONSTANT, disabled=st.session_state[state.knob_key(tuning.FUSION)] != Fusion.RRF.value)
        _slider(services, "retrieval.score_threshold")
        _slider(services, "retrieval.evidence_threshold")
        _reset(services, "retrieval")


def _fusion(services: Services) -> None:
    """The choice of fusion, one widget a language: the browser sends the label, and that of another language is no option."""
    knob = state.knob_key(tuning.FUSION)
    widget = f"{knob}:{current()}"
    st.session_state[widget] = st.session_state[knob]

    def keep() -> None:
        st.session_state[knob] = st.session_state[widget]
        state.keep_knobs(services)

    st.selectbox(
        t("knob.fusion"),
        tuning.fusions(),
        key=widget,
        format_func=lambda method: t(f"fusion.{method}"),
        help=t("knob.fusion_help"),
        on_change=keep,
    )


def show_chunking(services: Services) -> None:
    """How files are cut from now on; what is indexed already stays as it is."""
    with st.expander(t("tuning.chunking"), key="tuning_chunking", icon=":material/content_cut:"):
        st.caption(t("tuning.chunking_note"))
        for name in tuning.CHUNKING:
            _slider(services, name)
        _reset(services, "chunking")


def _slider(services: Services, name: str, *, disabled: bool = False) -> None:
    knob, key, short = tuning.knobs()[name], state.knob_key(name), name.partition(".")[2]
    low, high = knob.range_for(st.session_state[key])
    st.slider(
        t(f"knob.{short}"),
        min_value=low,
        max_value=high,
        step=knob.step,
        key=key,
        help=t(f"knob.{short}_help"),
        disabled=disabled,
        on_change=lambda: state.keep_knobs(services),
    )


def _reset(services: Services, which: str) -> None:
    names = tuning.CHUNKING if which == "chunking" else [*tuning.RETRIEVAL, tuning.FUSION]
    st.button(
        t("tuning.reset"),
        key=f"reset:{which}",
        icon=":material/restart_alt:",
        on_click=lambda: state.reset_knobs(services, names),
    )
