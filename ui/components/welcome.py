"""The first screen of a conversation: how to begin with an empty base, and what could be asked of the sample base."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from ingest.jobs import Upload
from ui import state
from ui.components.failure import explained
from ui.components.jobs import is_worth_a_redraw
from ui.components.models import remote
from ui.components.uploads import upload_box
from ui.figures import count_words
from ui.strings import LANGUAGES, current, say_in, t

if TYPE_CHECKING:
    from ui.services import Services

SAMPLE_BASE = "Glassbox guide"
_GUIDE = Path(__file__).resolve().parents[2] / "docs"
_EXAMPLES = ("one", "two", "three")


def show_welcome(services: Services, *, ask: Callable[[str], None]) -> None:
    """What fits the base in use; `ask` is given the example question that was clicked."""
    base = state.base(services)
    ready = [each for each in state.documents(services, base) if each.status == "ready"]
    busy = services.jobs.busy(base)
    with st.container(key="welcome"):
        if busy:
            st.markdown(f"## {t('welcome.reading')}")
            _progress(services, base)
        elif not ready:
            _beginning(services, base)
        else:
            st.markdown(f"## {t('welcome.ready')}")
            st.markdown(t("welcome.ready_text", base=base, count=len(ready)))
        if ready and base == SAMPLE_BASE:
            _examples(ask)


def show_beginning(services: Services) -> None:
    """Below a conversation that nothing could answer, as no document is there yet: how to begin."""
    base = state.base(services)
    if not services.jobs.busy(base) and not any(state.documents(services, each) for each in state.bases(services)):
        with st.container(key="welcome"):
            _beginning(services, base)


def sample_files(first: str) -> list[Upload]:
    """The user guide in both languages, the language `first` before the other, as files whose names tell the language."""
    return [
        Upload(name=f"{language}-{page.name}", data=page.read_bytes())
        for language in sorted(LANGUAGES, key=lambda each: each != first)
        for page in sorted((_GUIDE / language).glob("*.md"))
    ]


def _beginning(services: Services, base: str) -> None:
    st.markdown(f"## {t('welcome.title')}")
    local = "" if remote(state.settings(services)) else t("models.nothing_leaves")
    st.markdown(f"{t('welcome.text')} {local}")
    own, sample = st.columns(2, gap="large")
    with own:
        st.markdown(f"**{t('welcome.own')}**")
        upload_box(services, base, place="main", label=t("welcome.own_text"))
    with sample:
        st.markdown(f"**{t('welcome.sample')}**")
        st.markdown(t("welcome.sample_text"))
        st.button(
            t("welcome.sample_button"),
            key="sample",
            type="primary",
            icon=":material/menu_book:",
            on_click=_add_sample,
            args=(services,),
        )


def _add_sample(services: Services) -> None:
    with explained():
        services.jobs.submit(SAMPLE_BASE, sample_files(current()), state.settings(services))
        state.choose_base(services, SAMPLE_BASE)


def _progress(services: Services, base: str) -> None:
    """How many files are read; what is finished draws the page anew, as there may be something to ask then."""
    seen, drawn = services.jobs.standing(base, most=0), time.monotonic()

    @st.fragment(run_every=1)
    def reading() -> None:
        queue = services.jobs.standing(base, most=0)
        if is_worth_a_redraw(queue, seen, drawn):
            st.rerun()
        if queue.total:
            words = t("welcome.progress", done=count_words(queue.done), count=count_words(queue.total))
            st.progress(queue.done / queue.total, text=words)

    reading()


def _examples(ask: Callable[[str], None]) -> None:
    st.markdown(f":small[{t('welcome.examples')}]")
    questions = [say_in(language, f"example.{name}", {}) for language in LANGUAGES for name in _EXAMPLES]
    st.pills(
        t("welcome.examples"),
        questions,
        key="example",
        label_visibility="collapsed",
        on_change=lambda: ask(st.session_state["example"]) if st.session_state["example"] else None,
    )
