"""A page as it looks, in the document view, and what is said where it cannot be drawn or the passage is not found on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from pydantic import SecretStr

from ingest.errors import EncryptedFile, LoadError
from ingest.view.picture import PageAsked
from ingest.view.viewer import ShownPage
from store.errors import StoreError
from store.library import StoredDocument
from ui.components.document_view_html import page_html, text_html
from ui.components.failure import explain
from ui.excerpts import Span, window
from ui.leaves import Leaf
from ui.safe import whole_name
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services

ZOOMS = (0.5, 1.0, 1.5, 2.0, 3.0)
"""How wide a page is, in widths of the dialog; at the first, all of it is seen at once."""
USUAL = 1
_SHARPEST = 2.0
"""Above it, a page is shown larger than it is drawn."""
_AROUND = 400


def show_page(
    services: Services, document: StoredDocument, text: str, leaf: Leaf, spans: Sequence[Span], *, look: str, zoom: int
) -> None:
    """The page with the spans of the document's text marked that are on it; a picture has its text beside it."""
    here = [(start - leaf.start, end - leaf.start) for start, end in spans]
    width = round(services.settings().view.width * min(max(ZOOMS[zoom], 1.0), _SHARPEST))
    asked = PageAsked(leaf.page, width, text[leaf.start : leaf.end], tuple(here))
    beside = look == "picture" and bool(text[leaf.start : leaf.end].strip())
    under_way = st.container()  # apart from the page, so that the one before stays until the next is there
    shown, read = st.columns([3, 2]) if beside else (st.container(), st.container())
    with under_way, st.spinner(t("view.drawing")):
        page = _asked_for(services, document, asked)
    if beside or page is None:
        read.html(text_html(text, spans, window=(leaf.start, leaf.end)))
    if page:
        with shown:
            page = _drawn(services, document, asked, page, zoom=ZOOMS[zoom])
        if not beside and spans and page.matched != "all":
            low, high = window(text, spans[0][0], max(end for _, end in spans), around=_AROUND)
            read.html(text_html(text, spans, window=(max(low, leaf.start), min(high, leaf.end)), low=True))


def _drawn(services: Services, document: StoredDocument, asked: PageAsked, page: ShownPage, *, zoom: float) -> ShownPage:
    """Show the page, and a scan once more when it was read to find the passage in it, which takes seconds."""
    place, about = st.empty(), plain("view.about", page=asked.page, name=whole_name(document.source))
    place.html(page_html(page, zoom=zoom, about=about))
    if page.scanned and asked.spans and services.settings().ingest.ocr.enabled and page.matched == "none":
        with st.spinner(t("view.reading")):
            page = _asked_for(services, document, replace(asked, read=True)) or page
        place.html(page_html(page, zoom=zoom, about=about))
    if asked.spans and page.matched != "all":
        st.caption(f":material/info: {t('view.part' if page.matched == 'part' else 'view.not_found')}")
    elif asked.spans and page.scanned:
        st.caption(f":material/info: {t('view.scan')}")
    return page


def _asked_for(services: Services, document: StoredDocument, asked: PageAsked) -> ShownPage | None:
    given = st.session_state.get("view_password") or None
    try:
        return services.page_picture(document, asked, SecretStr(given) if given else None)
    except EncryptedFile as error:
        st.info(t("view.locked") if given is None else explain(error), icon=":material/lock:")
        st.text_input(t("view.password"), type="password", key="view_password", autocomplete="off")
    except (LoadError, StoreError) as error:
        st.warning(explain(error), icon=":material/visibility_off:")
    return None
