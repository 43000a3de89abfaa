"""One file of the queue: how far it is or what became of it, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from pydantic import SecretStr

from ingest.standing import FileProgress
from store.queue import FINE
from ui.components.library_document import report_facts
from ui.components.library_facts import facts
from ui.components.reasons import why
from ui.figures import clock_words, count_words
from ui.safe import escape_markdown, name_help, shown_name
from ui.strings import has, t

if TYPE_CHECKING:
    from ui.services import Services

_ICONS = {
    "queued": ":gray[:material/hourglass_empty:]",
    "running": ":blue[:material/sync:]",
    "cancelling": ":gray[:material/cancel:]",
    "cancelled": ":gray[:material/cancel:]",
    "failed": ":red[:material/error:]",
    "empty": ":orange[:material/block:]",
    "duplicate": ":gray[:material/content_copy:]",
    "unchanged": ":gray[:material/check:]",
}
_DONE, _WARNED = ":green[:material/check_circle:]", ":orange[:material/warning:]"
_TOLD = frozenset({"failed", "empty", "duplicate"})
_COLUMNS = 60


def show_file(services: Services, file: FileProgress) -> None:
    """The file's row, with a bar while it is under way, and its reason and warnings."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    warned = bool((file.report or {}).get("warnings"))
    icon = _ICONS.get(file.status, _WARNED if warned else _DONE)
    name = escape_markdown(shown_name(file.name, columns=_COLUMNS))
    row.markdown(f"{icon} {name} :small[:gray[{_status(file)}]]", help=name_help(file.name, columns=_COLUMNS), width="stretch")
    _actions(services, file, row)
    if file.status in {"running", "cancelling"}:
        st.progress(min(1.0, file.done / file.total) if file.total else 0.0, text=stage_words(file))
    if file.reason and file.status in _TOLD:
        st.caption(why(file.report, file.reason))
    for warning in (file.report or {}).get("warnings", ()):
        st.caption(f":material/warning: {why(warning, warning['reason'])}")


def stage_words(file: FileProgress) -> str:
    """The stage of a file under way, how much of it is done, how fast, and how long it will take, as Markdown."""
    words = [t(f"stage.{file.stage}") if has(f"stage.{file.stage}") else escape_markdown(file.stage)]
    if file.total > 1:
        words.append(t("jobs.of", done=count_words(file.done), total=count_words(file.total)))
    if file.rate:
        words.append(t("jobs.rate", rate=f"{file.rate:.1f}"))
    if file.seconds_left is not None:
        words.append(t("jobs.left", time=clock_words(file.seconds_left)))
    return " · ".join(words)


def _status(file: FileProgress) -> str:
    words = [t(f"status.{file.status}") if has(f"status.{file.status}") else escape_markdown(file.status)]
    if file.finished and file.status in FINE and (file.report or {}).get("chunks"):
        words.append(t("upload.chunks", count=(file.report or {})["chunks"]))
    return " · ".join(words)


def _actions(services: Services, file: FileProgress, row: st.delta_generator.DeltaGenerator) -> None:
    jobs = services.jobs
    if not file.finished:
        if file.status != "cancelling":
            key = f"cancel:{file.id}"
            row.button(
                "",
                key=key,
                icon=":material/close:",
                type="tertiary",
                help=t("jobs.cancel"),
                on_click=jobs.cancel,
                args=(file.id,),
            )
        return
    if (file.report or {}).get("code") in ("password", "wrong_password"):
        _with_password(services, file, row)
    if file.status in {"failed", "cancelled"}:
        key = f"again:{file.id}"
        row.button(
            "", key=key, icon=":material/refresh:", type="tertiary", help=t("upload.retry"), on_click=jobs.retry, args=(file.id,)
        )
    if file.report and file.status in FINE:
        with row.popover("", key=f"report:{file.id}", icon=":material/info:", help=t("jobs.report"), type="tertiary"):
            st.html(facts(report_facts(file.report)))
    key = f"dismiss:{file.id}"
    row.button(
        "", key=key, icon=":material/done:", type="tertiary", help=t("jobs.dismiss"), on_click=jobs.dismiss, args=(file.id,)
    )


def _with_password(services: Services, file: FileProgress, row: st.delta_generator.DeltaGenerator) -> None:
    with row.popover("", key=f"unlock:{file.id}", icon=":material/key:", help=t("jobs.password"), type="tertiary"):
        key = f"password:{file.id}"

        def retry() -> None:
            entered = st.session_state.get(key)
            if entered:
                services.jobs.retry(file.id, SecretStr(entered))

        with st.form(f"unlock_form:{file.id}", border=False):
            st.text_input(t("jobs.password"), key=key, type="password")
            st.form_submit_button(t("upload.retry"), on_click=retry)
