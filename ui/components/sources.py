"""The citations below an answer, and its passages; each opens its place in the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from store.errors import StoreError
from ui.components.cards import table_place
from ui.components.document_view import open_in_dialog, show_view
from ui.excerpts import Span
from ui.leaves import Place, located
from ui.safe import escape_html, escape_markdown, name_help, shown_name
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

_COLUMNS = 30
Citation = Mapping[str, Any]


def show_sources(services: Services, answer: Mapping[str, Any], *, key: str) -> None:
    """A row of buttons, one a citation."""
    places: dict[int, list[Citation]] = {}
    for citation in answer.get("citations") or ():
        places.setdefault(int(citation["n"]), []).append(citation)
    if not places:
        return
    headings = {context["chunk_id"]: str(context.get("heading") or "") for context in answer.get("contexts") or ()}
    with st.container(horizontal=True, key=f"sources:{key}", gap="small"):
        for number, citations in sorted(places.items()):
            label = _label(citations[0])
            help_text = name_help(citations[0]["source"]) or t("sources.open")
            if st.button(label, key=f"source:{key}:{number}", type="tertiary", help=help_text):
                _open(services, citations, headings.get(citations[0]["chunk_id"], ""))


def show_openers(services: Services, contexts: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """A choice of the passages below an answer, by their places there; the one that is chosen is opened in its document."""
    if not contexts:
        return
    name, opened = f"openers:{key}", f"opened:{key}"

    def choose() -> None:
        st.session_state[opened] = st.session_state[name]
        st.session_state[name] = None

    st.pills(
        t("sources.passages"),
        range(1, len(contexts) + 1),
        key=name,
        format_func=lambda number: _short(number, contexts[number - 1]),
        on_change=choose,
    )
    number = st.session_state.pop(opened, None)
    if number:
        _open(services, [_of_context(contexts[number - 1], number)], str(contexts[number - 1].get("heading") or ""))


def open_passage(services: Services, passage: Citation) -> None:
    """Open a chunk (doc_id, source, start, end, text and where it lies) in its document."""
    _open(services, [_of_context(passage, None)], str(passage.get("heading") or ""))


def _of_context(context: Mapping[str, Any], number: int | None) -> Citation:
    """A whole passage as a citation; of a corrected one, what the document says is what is looked for."""
    text = context["original"] if context.get("edited") and context.get("original") else context["text"]
    return {**context, "n": number, "quote": text, "edited": False}


def _short(number: int, context: Mapping[str, Any]) -> str:
    name = escape_markdown(shown_name(str(context["source"]), columns=_COLUMNS))
    page = f" · {t('passages.page', page=context['page'])}" if context.get("page") else ""
    return f"{number} · {name}{page}"


def _label(citation: Citation) -> str:
    number = f":blue-badge[{int(citation['n'])}] " if citation.get("n") else ""
    page = f" · {t('passages.page', page=citation['page'])}" if citation.get("page") else ""
    table = f" · {escape_markdown(place)}" if (place := table_place(citation)) else ""
    edited = f" · {t('passages.edited')}" if citation.get("edited") else ""
    return f"{number}{escape_markdown(shown_name(citation['source']))}{page}{table}{edited}"


def _open(services: Services, citations: Sequence[Citation], heading: str) -> None:
    """The document with the citations marked; where it does not say any more what was cited, that is shown above it."""
    first = citations[0]

    def place() -> None:
        st.markdown(_label(first), help=name_help(first["source"]))
        try:
            text = services.library.text(first["doc_id"])
        except StoreError:
            text = ""
        spans = [_span(text, citation) for citation in citations]
        if any(citation.get("edited") for citation in citations) and text:
            st.info(t("sources.edited"), icon=":material/edit:")
            _quotes(citations)
        elif not all(spans):
            st.warning(t("sources.changed") if text else t("sources.gone"), icon=":material/history:")
            _quotes(citations)
        if text:
            found = tuple(span for span in spans if span)
            show_view(services, Place(first["doc_id"], found, at=min(first["start"], len(text)), heading=heading))

    open_in_dialog(place)


def _span(text: str, citation: Citation) -> Span | None:
    """Where it stands in the document; of a corrected passage, where that is whose text was corrected."""
    if citation.get("edited"):
        start, end = citation["start"], min(citation["end"], len(text))
        return (start, end) if start < end else None
    return located(text, citation["start"], str(citation["quote"]))


def _quotes(citations: Sequence[Citation]) -> None:
    quotes = "".join(f"<p><mark>{escape_html(str(each['quote']))}</mark></p>" for each in citations)
    st.html(f'<div class="gb-text gb-place">{quotes}</div>')
