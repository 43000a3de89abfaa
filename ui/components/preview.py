"""How a file would be cut, by two strategies side by side, before anything is stored."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import streamlit as st
from pydantic import SecretStr

from ingest.document import LoadedDocument
from ingest.errors import LoadError
from ingest.preview import MOST_EMBEDDED, MOST_SHOWN
from ui import state
from ui.components.chunks import choose_document
from ui.components.failure import explained
from ui.components.preview_side import PART, show_figures, show_settings, show_text
from ui.components.reasons import why
from ui.figures import count_words
from ui.strings import current, t

if TYPE_CHECKING:
    from ui.services import Services

_STORED, _FILE = "stored", "file"
_READ, _PASSWORD = "preview_read", "preview_secret"
_LENGTHS = (5_000, 20_000, MOST_EMBEDDED, MOST_SHOWN)
_SIDES = {"a": None, "b": "recursive"}


def show_preview(services: Services, base: str) -> None:
    """The choice of a file, then both sides: settings, figures, text."""
    with explained():
        document = _document(services, base)
        if document is None:
            return
        most = st.selectbox(t("preview.most"), _LENGTHS, index=1, key="preview_most", format_func=count_words, width=220)
        with st.container(key="preview_sides"):
            sides = dict(zip(_SIDES, st.columns(2, gap="medium"), strict=True))
            found = {}
            for side, chunker in _SIDES.items():
                with sides[side]:
                    found[side] = show_settings(services, side, chunker, document, most=most)
            for side, preview in found.items():
                with sides[side]:
                    if preview:
                        show_figures(preview)
        part = _part(max((len(preview.text) for preview in found.values() if preview), default=0))
        with st.container(key="preview_texts"):
            for place, preview in zip(st.columns(2, gap="medium"), found.values(), strict=True):
                with place:
                    if preview:
                        show_text(preview, part)


def _document(services: Services, base: str) -> LoadedDocument | None:
    """The chosen file, read; None while none is chosen or when it cannot be read, which is said."""
    stored = [each for each in state.documents(services, base) if each.status in ("ready", "empty")]
    kinds = [_STORED, _FILE] if stored else [_FILE]
    kind = st.segmented_control(
        t("preview.which"),
        kinds,
        key=f"preview_kind:{len(kinds)}:{current()}",
        default=kinds[0],
        format_func=lambda each: t(f"preview_kind.{each}"),
        required=True,
        label_visibility="collapsed",
    )
    if kind == _STORED:
        document = choose_document(stored, key="preview_document")
        return _read(services, document.source, services.library.files.read(document.version))
    file = st.file_uploader(t("preview.upload"), key="preview_file", help=t("preview.upload_help"))
    return _read(services, file.name, file.getvalue()) if file else None


def _read(services: Services, name: str, data: bytes) -> LoadedDocument | None:
    """Read it once: what was read last is kept for the session, with the password that opened it in its key as a hash only."""
    password = str(st.session_state.get(_PASSWORD) or "")
    key = hashlib.sha256(b"\0".join([name.encode("utf-8", "replace"), password.encode("utf-8", "replace"), data])).hexdigest()
    kept: tuple[str, LoadedDocument] | None = st.session_state.get(_READ)
    if kept and kept[0] == key:
        return kept[1]
    try:
        with st.spinner(t("stage.load")):
            document = services.read(name, data, state.settings(services), SecretStr(password) if password else None)
    except LoadError as error:
        st.error(why({"code": error.code, "params": error.params}, str(error)), icon=":material/error:")
        if error.code == "password":
            st.text_input(t("jobs.password"), key="preview_password", type="password", on_change=_take_password)
        return None
    st.session_state[_READ] = (key, document)
    if not document.text.strip():
        st.warning(t("status.empty"), icon=":material/block:")
        return None
    return document


def _take_password() -> None:
    """Remember what was entered: Streamlit forgets it with its box, which is gone once the file is open."""
    st.session_state[_PASSWORD] = st.session_state["preview_password"]


def _part(length: int) -> int:
    """Which part of the text is drawn, from 0."""
    parts = max(1, -(-length // PART))
    if parts == 1:
        return 0
    st.session_state["preview_part"] = min(st.session_state.get("preview_part", 1), parts)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        number = st.number_input(t("preview.part"), 1, parts, key="preview_part", width=140, label_visibility="collapsed")
        st.caption(t("preview.part_of", number=number, parts=parts))
    return int(number) - 1
