"""The queue of files, base by base: what is under way, what waits, what went wrong and what to do, and what is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from ingest.standing import Standing
from ui.components.jobs_file import show_file, stage_words
from ui.figures import count_words
from ui.safe import escape_markdown, shown_name
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

BUSY_SECONDS, IDLE_SECONDS = 1.0, 3.0
"""How often the page looks: other tabs and processes may add files as well."""
REDRAW_SECONDS = 5.0
"""How often a page is drawn anew because files were finished, while others are under way."""
_MOST_WAITING = 20


def show_jobs(services: Services) -> None:
    """All of it, kept up to date."""
    busy = any(services.jobs.busy(base.name) for base in services.library.bases())

    @st.fragment(run_every=BUSY_SECONDS if busy else IDLE_SECONDS)
    def panel() -> None:
        if services.jobs.problem:
            st.error(escape_markdown(services.jobs.problem), icon=":material/error:")
        queues = [(base.name, services.jobs.standing(base.name)) for base in services.library.bases()]
        queues = [(name, queue) for name, queue in queues if queue.total]
        if not queues:
            st.caption(t("jobs.none"))
        for number, (name, queue) in enumerate(queues):
            _queue(services, name, queue, key=str(number))
        if busy != any(queue.busy for _, queue in queues):
            st.rerun()

    panel()


def _queue(services: Services, base: str, queue: Standing, *, key: str) -> None:
    with st.container(border=True, key=f"queue:{key}", gap="small"):
        _head(services, base, queue, key=key)
        if queue.busy:
            st.progress(queue.done / queue.total)
        for file in (*queue.of("under_way"), *queue.of("amiss"), *queue.of("waiting")[:_MOST_WAITING]):
            show_file(services, file)
        show_rest(queue, waiting=_MOST_WAITING)
        if queue.count("fine"):
            title = t("upload.done", count=count_words(queue.count("fine")))
            with st.expander(title, key=f"queue_done:{key}", icon=":material/check_circle:"):
                for file in queue.of("fine"):
                    show_file(services, file)
                _more("jobs.earlier", queue.count("fine") - len(queue.of("fine")))


def show_rest(queue: Standing, *, waiting: int) -> None:
    """How many more files need a look and how many more wait than are shown, of which `waiting` are."""
    _more("jobs.more_amiss", queue.count("amiss") - len(queue.of("amiss")))
    _more("jobs.more_waiting", queue.count("waiting") - waiting)


def _more(words: str, count: int) -> None:
    if count > 0:
        st.caption(t(words, count=count_words(count)))


def _head(services: Services, base: str, queue: Standing, *, key: str) -> None:
    paused = services.jobs.paused(base)
    done = t("jobs.done", done=count_words(queue.done), count=count_words(queue.total))
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    badge = f" :orange-badge[{t('jobs.paused')}]" if paused else ""
    row.markdown(f"**{escape_markdown(base)}** :small[:gray[{done}]]{badge}", width="stretch")

    def button(name: str, label: str, icon: str, action: Callable[[str], None]) -> None:
        row.button(label, key=f"{name}:{key}", icon=f":material/{icon}:", on_click=action, args=(base,))

    if paused:
        button("resume", t("jobs.resume"), "play_arrow", services.jobs.resume)
    elif queue.busy:
        button("pause", t("jobs.pause"), "pause", services.jobs.pause)
    if queue.busy:
        button("cancel_all", t("jobs.cancel_all"), "close", services.jobs.cancel_all)
    if queue.done:
        button("clear", t("jobs.clear"), "done_all", services.jobs.clear_finished)


def is_worth_a_redraw(queue: Standing, seen: Standing, drawn: float) -> bool:
    """Whether the page, `drawn` at that time of the clock, should show what has changed since it was `seen`.

    The first and the last file at once; of many in between not each.
    """
    urgent = not queue.busy or not seen.busy or not seen.done or time.monotonic() - drawn >= REDRAW_SECONDS
    return queue.counts != seen.counts and urgent


def show_under_way(services: Services, base: str) -> None:
    """For other pages: how many files of a base are done, and the one under way.

    With each that is done, here or by another tab, the page is drawn anew; but of many under way not with every one.
    """
    seen, drawn = services.jobs.standing(base, most=0), time.monotonic()

    @st.fragment(run_every=BUSY_SECONDS if seen.busy else IDLE_SECONDS)
    def line() -> None:
        queue = services.jobs.standing(base, most=1)
        if is_worth_a_redraw(queue, seen, drawn):
            st.rerun()
        if queue.busy:
            words = t("welcome.progress", done=count_words(queue.done), count=count_words(queue.total))
            st.progress(queue.done / queue.total, text=words)
        for file in queue.of("under_way"):
            st.caption(f"{escape_markdown(shown_name(file.name))}: {stage_words(file)}")

    line()
