"""A document at a passage: the page as it looks with the passage marked, or the text around it, to turn over and to enlarge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ingest.names import suffix_of
from ingest.view.looks import looks
from store.library import StoredDocument
from ui.components.document_view_html import rows_html, text_html
from ui.components.document_view_page import USUAL, ZOOMS, show_page
from ui.components.failure import explained
from ui.excerpts import heading_marks
from ui.leaves import Leaf, Place, download_name, leaf_at, leaves_of
from ui.row_table import SUFFIXES, groups
from ui.safe import escape_markdown
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

_LEAF, _ZOOM, _FACE = "view_leaf", "view_zoom", "view_face"
_STATE = (_LEAF, _ZOOM, _FACE, "view_password")
_PAGE, _TEXT = "page", "text"


def open_in_dialog(draw: Callable[[], None]) -> None:
    """Show in a dialog what `draw` draws, with a view that begins anew."""
    for key in _STATE:
        st.session_state.pop(key, None)
    st.dialog(t("sources.title"), width="large")(draw)()


def open_document(services: Services, place: Place, label: str) -> None:
    """Show a document in a dialog, under a label in Markdown."""

    def draw() -> None:
        st.markdown(label)
        show_view(services, place)

    open_in_dialog(draw)


def show_view(services: Services, place: Place) -> None:
    """The document, with what can be done to see more of it."""
    with explained():
        document, text = services.library.document(place.doc_id), services.library.text(place.doc_id)
        look = looks(document.source, document.report.get("type"))
        leaves = leaves_of(text, services.library.pages(place.doc_id) if look else (), drawn=look is not None)
        first = leaf_at(leaves, place.start)
        if place.heading:
            st.caption(f":material/toc: {escape_markdown(place.heading)}")
        number = _controls(services, document, leaves, first, can_zoom=look is not None)
        leaf = leaves[number - 1]
        if look is None or st.session_state.get(_FACE) == _TEXT:
            _show_text(document, text, leaf, place)
        else:
            show_page(services, document, text, leaf, leaf.spans_of(place), look=look, zoom=_zoom())
        own_end = document.report.get("figures_from")
        if own_end is not None and leaf.end > own_end:
            st.caption(f":material/smart_toy: {t('view.by_model')}")
        if leaf.goes_on(place):
            st.caption(f":material/arrow_forward: {t('view.goes_on')}")


def _controls(services: Services, document: StoredDocument, leaves: Sequence[Leaf], first: int, *, can_zoom: bool) -> int:
    """The row of buttons; gives the number of the leaf to show, from 1."""
    number: int = min(st.session_state.get(_LEAF, first), len(leaves))
    st.session_state[_LEAF] = number
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="view_controls"):
        if len(leaves) > 1:
            _turner("view_back", ":material/chevron_left:", t("view.back"), number - 1, disabled=number == 1)
            number = int(st.number_input(t("view.leaf"), 1, len(leaves), key=_LEAF, width=110, label_visibility="collapsed"))
            st.markdown(t("view.of", count=len(leaves)), width="content")
            _turner("view_on", ":material/chevron_right:", t("view.on"), number + 1, disabled=number == len(leaves))
            if number != first:
                _turner("view_passage", ":material/my_location:", t("view.passage"), first)
        if can_zoom:
            _zoomers()
            st.segmented_control(
                t("view.face"),
                [_PAGE, _TEXT],
                key=_FACE,
                default=_PAGE,
                required=True,
                format_func=lambda face: t(f"view_face.{face}"),
                label_visibility="collapsed",
            )
        if services.library.files.has(document.version):
            st.download_button(
                t("view.original"),
                lambda: services.library.files.read(document.version),
                file_name=download_name(document.source),
                mime="application/octet-stream",
                key="view_original",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
            )
    return number


def _turner(key: str, icon: str, help_text: str, number: int, *, disabled: bool = False) -> None:
    def turn() -> None:
        st.session_state[_LEAF] = number

    st.button("", key=key, icon=icon, help=help_text, on_click=turn, disabled=disabled, type="tertiary")


def _zoom() -> int:
    return int(st.session_state.get(_ZOOM, USUAL))


def _zoomers() -> None:
    def change(step: int) -> None:
        st.session_state[_ZOOM] = _zoom() + step

    for key, step, icon in (("view_smaller", -1, ":material/zoom_out:"), ("view_larger", 1, ":material/zoom_in:")):
        at_end = not 0 <= _zoom() + step < len(ZOOMS)
        help_text = t("view.smaller") if step < 0 else t("view.larger")
        st.button("", key=key, icon=icon, help=help_text, on_click=change, args=(step,), disabled=at_end, type="tertiary")


def _show_text(document: StoredDocument, text: str, leaf: Leaf, place: Place) -> None:
    """The text of the leaf; rows of a workbook as a table."""
    spans, window = leaf.spans_of(place), (leaf.start, leaf.end)
    if suffix_of(document.source) in SUFFIXES:
        st.html(rows_html(text, groups(text, window), spans))
    elif text[leaf.start : leaf.end].strip():
        st.html(text_html(text, spans, window=window, hidden=heading_marks(text, document.source)))
    else:
        st.caption(t("view.no_text"))
