"""The upload panel and the progress of every file; the work itself is done by the jobs' worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ingest.jobs import Upload
from ingest.standing import FileProgress, Standing
from ui import state
from ui.components.failure import explained
from ui.components.jobs import show_rest
from ui.components.reasons import why
from ui.figures import count_words
from ui.formats import upload_help
from ui.safe import escape_markdown, name_help, shown_name
from ui.strings import has, t

if TYPE_CHECKING:
    from ui.services import Services

_ICONS = {
    "queued": ":gray[:material/hourglass_empty:]",
    "running": ":blue[:material/sync:]",
    "failed": ":red[:material/error:]",
    "empty": ":orange[:material/warning:]",
    "duplicate": ":gray[:material/content_copy:]",
    "unchanged": ":gray[:material/check:]",
}
_DONE = ":green[:material/check_circle:]"
_MOST, _MOST_QUIET = 20, 3
_COLUMNS = 44
_ROUND, _TAKEN = "upload_round", "uploads_taken"


def submit(services: Services, base: str, files: Iterable[UploadedFile]) -> list[str]:
    """Hand the files to the jobs' queue and give the jobs' ids; the page keeps no copy."""
    uploads = [Upload(name=file.name, data=file.getvalue()) for file in files]
    if not uploads:
        return []
    return services.jobs.submit(base, uploads, state.settings(services))


def show_upload(services: Services, base: str) -> None:
    """The box for files, emptied after each batch so that no rerun submits it again, and what becomes of them."""
    upload_box(services, base, place="side", label=t("upload.label"))
    show_progress(services, base)


def upload_box(services: Services, base: str, *, place: str, label: str) -> None:
    """A box for files; `place` tells two on one page apart."""
    key = f"upload:{place}:{st.session_state.get(_ROUND, 0)}"

    def take() -> None:
        """Submit what was not submitted yet: before the new box is drawn, files of a batch that arrive later call this again."""
        taken: set[str] = st.session_state.setdefault(_TAKEN, set())
        files = [file for file in st.session_state.get(key) or [] if file.file_id not in taken]
        taken.update(file.file_id for file in files)
        with explained():
            submit(services, base, files)
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1

    st.file_uploader(label, accept_multiple_files=True, key=key, on_change=take, help=upload_help())


def show_progress(services: Services, base: str) -> None:
    """The files that were added, polled each second as long as one is under way."""
    busy = services.jobs.busy(base)

    @st.fragment(run_every=1 if busy else None)
    def panel() -> None:
        queue = services.jobs.standing(base, most=_MOST)
        _files(services, base, queue)
        if busy and not queue.busy:
            st.rerun()

    panel()


def _files(services: Services, base: str, queue: Standing) -> None:
    if not queue.total:
        return
    few = queue.done <= _MOST_QUIET
    loud = [file for file in queue.shown if few or file not in queue.of("fine")]
    with st.container(key="uploads", gap=None, height=230 if len(loud) > 5 else "content"):
        for file in loud:
            _file(services, file)
        show_rest(queue, waiting=len(queue.of("waiting")))
    if queue.count("fine") and not few:
        title = t("upload.done", count=count_words(queue.count("fine")))
        with st.expander(title, key="uploads_done", icon=":material/check_circle:"):
            for file in queue.of("fine"):
                _file(services, file)
    if queue.done and st.button(t("upload.clear"), key="upload_clear", type="tertiary", icon=":material/done_all:"):
        services.jobs.clear_finished(base)
        st.rerun()


def _file(services: Services, file: FileProgress) -> None:
    name = escape_markdown(shown_name(file.name, columns=_COLUMNS))
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    words = f"{_ICONS.get(file.status, _DONE)} {name} :small[:gray[{_what(file)}]]"
    row.markdown(words, help=name_help(file.name, columns=_COLUMNS))
    if file.status == "running":
        st.progress(min(1.0, file.done / file.total) if file.total else 0.0)
    if file.status == "failed" and row.button(
        "", key=f"retry:{file.id}", type="tertiary", icon=":material/refresh:", help=t("upload.retry")
    ):
        services.jobs.retry(file.id)
        st.rerun()
    if file.reason and file.status in {"failed", "empty", "duplicate"}:
        st.caption(why(file.report, file.reason))
    for warning in (file.report or {}).get("warnings", ()):
        st.caption(f":material/warning: {why(warning, warning['reason'])}")


def _what(file: FileProgress) -> str:
    """The stage of a file under way, or what came of one that is finished."""
    if file.status == "running":
        stage = t(f"stage.{file.stage}") if has(f"stage.{file.stage}") else escape_markdown(file.stage)
        return t("upload.running", stage=stage, done=file.done, total=file.total) if file.total else stage
    words = [t(f"status.{file.status}") if has(f"status.{file.status}") else escape_markdown(file.status)]
    report = file.report or {}
    if file.status in {"indexed", "replaced"} and report.get("chunks") is not None:
        words.append(t("upload.chunks", count=report["chunks"]))
    if report.get("pages_without_text"):
        missing = report["pages_without_text"]
        words.append(t("upload.no_text", count=missing if isinstance(missing, int) else len(missing)))
    encoding = report.get("encoding")
    if encoding and encoding.lower().replace("-", "_") not in {"utf_8", "ascii"}:
        words.append(t("upload.encoding", name=encoding))
    return " · ".join(words)
