"""Adding to a knowledge base: files, folders, web pages, cut as chosen for this once, with a password for those that need one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import streamlit as st
from pydantic import SecretStr
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ingest.jobs import Upload
from ingest.sources.asked import Asked
from ui import state
from ui.components.failure import explained
from ui.components.library_cutting import show_cutting, with_cutting
from ui.components.library_sources import KINDS as SOURCES
from ui.components.library_sources import clear, show_source
from ui.formats import upload_help
from ui.strings import current, t

if TYPE_CHECKING:
    from ui.services import Services

_FILES, _FOLDER = "files", "folder"
_ROUND, _TAKEN = "adding_round", "adding_taken"
_CLUTTER = frozenset({"thumbs.db", "desktop.ini"})


def show_adding(services: Services, base: str) -> None:
    """The box, open from the beginning where there is nothing yet."""
    opened = st.session_state.setdefault(f"adding_open:{base}", not state.documents(services, base))
    with st.expander(t("adding.title", base=base), key="adding", icon=":material/upload_file:", expanded=opened):
        kind = st.segmented_control(
            t("adding.kind"),
            [_FILES, _FOLDER, *SOURCES],
            key=f"adding_kind:{current()}",
            default=_FILES,
            format_func=lambda each: t(f"adding.{each}"),
            required=True,
            label_visibility="collapsed",
        )
        asked: Asked | None = None
        with explained():
            if kind in SOURCES:
                asked = show_source(services, kind)
            else:
                _box(services, base, kind or _FILES)
        with st.expander(t("adding.options"), key="adding_options", icon=":material/content_cut:"):
            st.session_state["adding_cutting"] = show_cutting(services, key="adding_cut")
            st.text_input(t("adding.password"), key="adding_password", type="password", help=t("adding.password_help"))
        if asked:
            _read(services, base, asked)


def kept_files(files: Iterable[UploadedFile]) -> tuple[list[UploadedFile], int]:
    """Those that a person means by a folder, and how many of the system's own and hidden files were left out."""
    every = list(files)
    kept = [file for file in every if not _is_clutter(file.name)]
    return kept, len(every) - len(kept)


def _is_clutter(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    last = parts[-1].lower() if parts else ""
    return any(part.startswith(".") for part in parts) or last in _CLUTTER or last.startswith("~$")


def _box(services: Services, base: str, kind: str) -> None:
    """The box for files, a new one after each batch, so that no rerun submits it again."""
    key = f"adding:{kind}:{st.session_state.get(_ROUND, 0)}"

    def take() -> None:
        """Submit what was not submitted yet: files of a batch that arrive later call this again."""
        taken: set[str] = st.session_state.setdefault(_TAKEN, set())
        files = [file for file in st.session_state.get(key) or [] if file.file_id not in taken]
        taken.update(file.file_id for file in files)
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
        with explained():
            _submit(services, base, files, is_folder=kind == _FOLDER)

    st.file_uploader(
        t(f"adding.{kind}_label"),
        accept_multiple_files="directory" if kind == _FOLDER else True,
        key=key,
        on_change=take,
        help=upload_help(),
    )


def _read(services: Services, base: str, asked: Asked) -> None:
    """Have a source read behind the page."""
    with explained():
        settings = with_cutting(services, st.session_state.get("adding_cutting") or {})
        services.gathering.start(base, asked, settings, password=_password())
        clear()
        st.rerun()


def _password() -> SecretStr | None:
    entered = st.session_state.get("adding_password") or ""
    return SecretStr(entered) if entered else None


def _submit(services: Services, base: str, files: list[UploadedFile], *, is_folder: bool) -> None:
    chosen: dict[str, Any] = st.session_state.get("adding_cutting") or {}
    kept, left_out = kept_files(files) if is_folder else (files, 0)
    uploads = [Upload(file.name, file.getvalue(), _password()) for file in kept]
    if uploads:
        services.jobs.submit(base, uploads, with_cutting(services, chosen))
    words = t("adding.taken", count=len(uploads))
    st.toast(f"{words} {t('adding.left_out', count=left_out)}" if left_out else words, icon=":material/upload_file:")
