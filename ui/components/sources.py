"""The citations below an answer; each opens its place in the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from store.errors import StoreError
from ui.components.cards import table_place
from ui.excerpts import heading_marks, marked, window
from ui.safe import escape_html, escape_markdown, name_help, shown_name
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

_AROUND = 500
Citation = Mapping[str, Any]


def show_sources(services: Services, answer: Mapping[str, Any], *, key: str) -> None:
    """A row of buttons, one a citation."""
    places: dict[int, list[Citation]] = {}
    for citation in answer.get("citations") or ():
        places.setdefault(int(citation["n"]), []).append(citation)
    if not places:
        return
    with st.container(horizontal=True, key=f"sources:{key}", gap="small"):
        for number, citations in sorted(places.items()):
            label = _label(citations[0])
            help_text = name_help(citations[0]["source"]) or t("sources.open")
            if st.button(label, key=f"source:{key}:{number}", type="tertiary", help=help_text):
                _open(services, citations)


def _label(citation: Citation) -> str:
    page = f" · {t('passages.page', page=citation['page'])}" if citation.get("page") else ""
    table = f" · {escape_markdown(place)}" if (place := table_place(citation)) else ""
    edited = f" · {t('passages.edited')}" if citation.get("edited") else ""
    return f":blue-badge[{int(citation['n'])}] {escape_markdown(shown_name(citation['source']))}{page}{table}{edited}"


def _open(services: Services, citations: Sequence[Citation]) -> None:
    @st.dialog(t("sources.title"), width="large")
    def place() -> None:
        st.markdown(_label(citations[0]), help=name_help(citations[0]["source"]))
        try:
            text = services.library.text(citations[0]["doc_id"])
        except StoreError:
            text = ""
        edited = any(each.get("edited") for each in citations)
        if edited or any(text[each["start"] : each["end"]] != each["quote"] for each in citations):
            if not text:
                st.warning(t("sources.gone"), icon=":material/history:")
            elif edited:
                st.info(t("sources.edited"), icon=":material/edit:")
            else:
                st.warning(t("sources.changed"), icon=":material/history:")
            quotes = "".join(f"<p><mark>{escape_html(each['quote'])}</mark></p>" for each in citations)
            st.html(f'<div class="gb-text gb-place">{quotes}</div>')
            return
        spans = [(each["start"], each["end"]) for each in citations]
        low, high = window(text, min(spans)[0], max(stop for _, stop in spans), around=_AROUND)
        hidden = heading_marks(text, str(citations[0]["source"]))
        shown = marked(text, spans, hidden=hidden, window=(low, high))
        before, after = "…" if low else "", "…" if high < len(text) else ""
        st.html(f'<p class="gb-text gb-place">{before}{shown}{after}</p>')

    place()
