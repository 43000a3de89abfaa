"""Boxes for what is not uploaded: web pages, the pages of a sitemap, and folders of the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from ingest.sources.address import is_address, parsed
from ingest.sources.allowed import allowed_folder
from ingest.sources.asked import Asked, AskedFolder, AskedPages, AskedSitemap
from ingest.sources.selection import Selection
from ui.safe import whole_name
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services

PAGES, SITEMAP, SERVER = KINDS = ("pages", "sitemap", "server")
_ROUND = "source_round"
_LONGEST = 20_000
_EXAMPLES = {PAGES: "https://example.org/page", SITEMAP: "https://example.org/sitemap.xml"}


def show_source(services: Services, kind: str) -> Asked | None:
    """The box; gives what was asked for when its button was pressed. Raises LoadError for what may not be read."""
    if kind == SERVER and not services.settings().sources.folders:
        st.info(t("source_box.no_folders"), icon=":material/folder_off:")
        return None
    with st.form(_key(kind, "form"), border=False):
        entered = _where(services, kind)
        selection, prune = (Selection(), False) if kind == PAGES else _selection(kind)
        pressed = st.form_submit_button(t("source_box.read"), key=_key(kind, "read"), icon=":material/download:")
    if not pressed:
        return None
    if kind == SERVER:
        return AskedFolder(allowed_folder(entered, services.settings()), selection, prune)
    addresses = [_address(line) for line in entered.split()]
    most = services.settings().sources.max_pages
    if not addresses or len(addresses) > most:
        st.warning(t("source_box.nothing") if not addresses else t("source_box.many", most=most), icon=":material/link_off:")
        return None
    return AskedPages(tuple(dict.fromkeys(addresses))) if kind == PAGES else AskedSitemap(addresses[0], selection, prune)


def clear() -> None:
    """Empty the boxes: what was in them is being read."""
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


def _where(services: Services, kind: str) -> str:
    """The addresses, or the path of a folder, as they were entered."""
    label, key, example = t(f"source_box.{kind}_label"), _key(kind, "where"), _EXAMPLES.get(kind)
    if kind == PAGES:
        return st.text_area(label, key=key, placeholder=example, max_chars=_LONGEST, height=100)
    if kind == SITEMAP:
        return st.text_input(label, key=key, placeholder=example, max_chars=_LONGEST)
    above, below = st.columns(2)
    with above:
        folder = st.selectbox(label, list(map(str, services.settings().sources.folders)), key=key, format_func=whole_name)
    with below:
        within = st.text_input(t("source_box.within"), key=_key(kind, "within"), placeholder=plain("source_box.within_hint"))
    return str(Path(folder or "") / within.strip())


def _selection(kind: str) -> tuple[Selection, bool]:
    """The patterns for what to take and what to leave, and whether to take out what is gone."""
    include, exclude = st.columns(2)
    with include:
        wanted = st.text_area(
            t("source_box.include"), key=_key(kind, "include"), height=80, placeholder="*.pdf", help=t("source_box.patterns_help")
        )
    with exclude:
        unwanted = st.text_area(t("source_box.exclude"), key=_key(kind, "exclude"), height=80, placeholder="draft*")
    prune = st.checkbox(t("source_box.prune"), key=_key(kind, "prune"), help=t("source_box.prune_help"))
    return Selection(_lines(wanted), _lines(unwanted)), prune


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _address(text: str) -> str:
    """An address as it is fetched; of one without https://, with that. Raises LoadError."""
    whole = text if is_address(text) else f"https://{text}"
    parsed(whole)
    return whole


def _key(kind: str, what: str) -> str:
    return f"source:{kind}:{what}:{st.session_state.get(_ROUND, 0)}"
