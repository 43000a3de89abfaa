"""An answer while it is written: its words as they come, and a button that stops it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui import state
from ui.answering import Answering, Progress
from ui.components.answer import show_text
from ui.strings import t

_REDRAW_SECONDS = 0.08
_RUNNING = "answering"
_MOST_NUMBERS = 100


def running(question: int) -> Answering | None:
    """What answers a question in this session, by the id of its message; None when nothing does."""
    found: Answering | None = st.session_state.get(_RUNNING, {}).get(question)
    return found


def follow(question: int, answering: Answering) -> str:
    """Show it until it is done; why it could not be kept, or "".

    Streamlit ends a script at the next thing it shows or looks up: after a click the next run follows on from here.
    """
    st.session_state.setdefault(_RUNNING, {})[question] = answering
    status, place, button = st.empty(), st.empty(), st.empty()
    shown: Progress | None = None
    while state.asked(question) and not answering.wait(_REDRAW_SECONDS):
        if shown is None:
            button.button(t("chat.stop"), key=f"stop:{question}", icon=":material/stop_circle:", on_click=answering.stop)
        if answering.progress != shown:
            shown = answering.progress
            _draw(status, place, shown)
    del st.session_state[_RUNNING][question]
    status.empty()
    button.empty()
    return answering.failure


def _draw(status: Any, place: Any, progress: Progress) -> None:
    if progress.found is None:
        status.caption(t("answer.searching"))
        return
    status.caption(t("answer.writing", count=len(progress.found.get("contexts") or ())))
    with place.container():
        show_text(progress.text, {"citations": [{"n": number} for number in range(1, _MOST_NUMBERS)]})
