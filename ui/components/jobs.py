"""The queue of files, base by base: what is under way, what waits, what went wrong and what to do, and what is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ingest.jobs import FileProgress
from ui.components.jobs_file import is_quiet, show_file, stage_words
from ui.figures import count_words
from ui.safe import escape_markdown, shown_name
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

BUSY_SECONDS, IDLE_SECONDS = 1.0, 3.0
"""How often the page looks: other tabs and processes may add files as well."""
_MOST_LOUD, _MOST_WAITING, _MOST_QUIET = 60, 20, 60


def show_jobs(services: Services) -> None:
    """All of it, kept up to date."""
    busy = any(services.jobs.busy(base.name) for base in services.library.bases())

    @st.fragment(run_every=BUSY_SECONDS if busy else IDLE_SECONDS)
    def panel() -> None:
        if services.jobs.problem:
            st.error(escape_markdown(services.jobs.problem), icon=":material/error:")
        queues = [(base.name, services.jobs.progress(base.name)) for base in services.library.bases()]
        queues = [(name, files) for name, files in queues if files]
        if not queues:
            st.caption(t("jobs.none"))
        for number, (name, files) in enumerate(queues):
            _queue(services, name, files, key=str(number))
        if busy != any(not file.finished for _, files in queues for file in files):
            st.rerun()

    panel()


def _queue(services: Services, base: str, files: Sequence[FileProgress], *, key: str) -> None:
    done = [file for file in files if file.finished]
    waiting = [file for file in files if file.status == "queued"]
    quiet = [file for file in done if is_quiet(file)]
    loud = [file for file in files if file not in quiet and file.status != "queued"]
    paused = services.jobs.paused(base)
    with st.container(border=True, key=f"queue:{key}", gap="small"):
        _head(services, base, files, done=done, paused=paused, key=key)
        if len(done) < len(files):
            st.progress(len(done) / len(files))
        for file in [each for each in loud if not each.finished] + [each for each in loud if each.finished][:_MOST_LOUD]:
            show_file(services, file)
        for file in waiting[:_MOST_WAITING]:
            show_file(services, file)
        if len(waiting) > _MOST_WAITING:
            st.caption(t("jobs.more_waiting", count=count_words(len(waiting) - _MOST_WAITING)))
        if quiet:
            with st.expander(
                t("upload.done", count=count_words(len(quiet))), key=f"queue_done:{key}", icon=":material/check_circle:"
            ):
                for file in quiet[-_MOST_QUIET:]:
                    show_file(services, file)


def _head(
    services: Services, base: str, files: Sequence[FileProgress], *, done: Sequence[FileProgress], paused: bool, key: str
) -> None:
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(
        f"**{escape_markdown(base)}** :small[:gray[{t('jobs.done', done=count_words(len(done)), count=count_words(len(files)))}]]"
        + (f" :orange-badge[{t('jobs.paused')}]" if paused else ""),
        width="stretch",
    )
    if paused:
        row.button(
            t("jobs.resume"), key=f"resume:{key}", icon=":material/play_arrow:", on_click=services.jobs.resume, args=(base,)
        )
    elif len(done) < len(files):
        row.button(t("jobs.pause"), key=f"pause:{key}", icon=":material/pause:", on_click=services.jobs.pause, args=(base,))
    if len(done) < len(files):
        row.button(
            t("jobs.cancel_all"), key=f"cancel_all:{key}", icon=":material/close:", on_click=_cancel, args=(services, files)
        )
    if done:
        row.button(
            t("jobs.clear"), key=f"clear:{key}", icon=":material/done_all:", on_click=services.jobs.clear_finished, args=(base,)
        )


def _cancel(services: Services, files: Sequence[FileProgress]) -> None:
    """Those that wait first, so that none of them begins meanwhile."""
    for file in sorted(files, key=lambda each: each.status != "queued"):
        if not file.finished:
            services.jobs.cancel(file.id)


def show_under_way(services: Services, base: str) -> None:
    """For other pages: how many files of a base are done, and the one under way.

    With each that is done, here or by another tab, the page is drawn anew.
    """
    seen = services.jobs.progress(base)
    busy = any(not file.finished for file in seen)

    @st.fragment(run_every=BUSY_SECONDS if busy else IDLE_SECONDS)
    def line() -> None:
        files = services.jobs.progress(base)
        done = sum(file.finished for file in files)
        if _standing(files) != _standing(seen):
            st.rerun()
        if done < len(files):
            st.progress(done / len(files), text=t("welcome.progress", done=count_words(done), count=count_words(len(files))))
        for file in files:
            if file.status == "running":
                st.caption(f"{escape_markdown(shown_name(file.name))}: {stage_words(file)}")

    line()


def _standing(files: Sequence[FileProgress]) -> set[tuple[str, bool]]:
    return {(file.id, file.finished) for file in files}
