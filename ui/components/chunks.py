"""The chunk browser: a document's chunks coloured in its text, or one by one, to search, switch off and correct."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import streamlit as st

from ingest.edits import DocumentChunks
from language import folded
from store.library import StoredDocument
from store.stored import StoredChunk
from ui import state
from ui.components.chunks_one import place_words, show_chunk
from ui.components.chunks_text import Coloured, coloured, occurrences
from ui.components.failure import explained
from ui.figures import count_words
from ui.safe import escape_markdown, whole_name
from ui.strings import current, t

if TYPE_CHECKING:
    from ui.services import Services

PAGE = 20
_TEXT, _SINGLE = "text", "single"


def show_chunks(services: Services, base: str) -> None:
    """The choice of a document, and its chunks."""
    documents = [each for each in state.documents(services, base) if each.status == "ready"]
    if not documents:
        st.caption(t("chunks.no_documents"))
        return
    document = choose_document(documents, key="chunks_document")
    with explained():
        known = services.chunks(base, document.source)
        text = services.library.text(document.doc_id)
        _head(services, base, known)
        words, view = _controls()
        chosen = [chunk for chunk in enumerate(known.chunks, start=1) if matches(chunk[1], words)]
        if not chosen:
            st.caption(t("chunks.none_found"))
            return
        shown = _on_page(chosen, key=f"chunks_page:{document.doc_id}")
        if view == _TEXT:
            st.html(in_text(text, shown, words))
            return
        segments = services.segments(base, [chunk.id for _, chunk in shown])
        for number, chunk in shown:
            show_chunk(services, base, chunk, number=number, words=words, segments=segments.get(chunk.id, ()))


def choose_document(documents: Sequence[StoredDocument], *, key: str) -> StoredDocument:
    """The document that the address names, else the first; another one can be chosen, and is kept in the address."""
    by_id = {document.doc_id: document for document in documents}
    wanted = st.query_params.get("d")
    state.put(key, wanted if wanted in by_id else next(iter(by_id)))

    def chosen() -> None:
        st.query_params["d"] = st.session_state[key]

    picked = st.selectbox(
        t("chunks.document"), list(by_id), key=key, format_func=lambda each: whole_name(by_id[each].source), on_change=chosen
    )
    return by_id[picked]


def matches(chunk: StoredChunk, words: str) -> bool:
    """Whether the words, as they were typed, stand in the chunk or its heading, whatever their case and script, or are its id."""
    wanted = folded(words.strip().casefold())
    return any(wanted in folded(text.casefold()) for text in (chunk.text, chunk.heading or "")) or wanted == chunk.id


def in_text(text: str, shown: Sequence[tuple[int, StoredChunk]], words: str) -> str:
    """The parts of the document's text that these numbered chunks cover, as HTML; what lies between them is left out."""
    spans = [
        Coloured(chunk.start, chunk.end, str(number), place_words(chunk), is_off=not chunk.enabled) for number, chunk in shown
    ]
    firsts = [at for at, (number, _) in enumerate(shown) if at == 0 or number != shown[at - 1][0] + 1]
    found, parts = occurrences(text, words), []
    for first, last in pairwise([*firsts, len(shown)]):
        window = spans[first].start, max(each.end for each in spans[first:last])
        inside = [(a, b) for a, b in found if a >= window[0] and b <= window[1]]
        parts.append(coloured(text, spans[first:last], window=window, found=inside))
    return f'<div class="gb-chunks">{"<p>⋯</p>".join(parts)}</div>'


def _head(services: Services, base: str, known: DocumentChunks) -> None:
    document = known.document
    off, edited = sum(not chunk.enabled for chunk in known.chunks), sum(chunk.edited for chunk in known.chunks)
    figures = [t("upload.chunks", count=count_words(len(known.chunks)))]
    figures += [t("chunks.off_count", count=off)] if off else []
    figures += [t("chunks.edited_count", count=edited)] if edited else []
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    show_switch(services, base, document, row, key="chunks_on")
    row.markdown(f":small[:gray[{' · '.join(figures)}]]", width="stretch")
    if known.lost:
        with st.expander(t("chunks.lost", count=len(known.lost)), icon=":material/history:", key="chunks_lost"):
            for edit in known.lost:
                st.markdown(escape_markdown(edit.original))
                if edit.corrected:
                    st.markdown(f"→ {escape_markdown(edit.corrected)}")


def show_switch(
    services: Services, base: str, document: StoredDocument, place: st.delta_generator.DeltaGenerator, *, key: str
) -> None:
    """Whether the document is searched."""
    name = f"{key}:{document.doc_id}"
    state.put(name, document.enabled)

    def flip() -> None:
        with explained():
            services.switch(base, document.source, on=st.session_state[name])

    place.toggle(t("chunks.document_on"), key=name, on_change=flip, help=t("chunks.document_on_help"))


def _controls() -> tuple[str, str]:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        words = st.text_input(t("chunks.search"), key="chunks_search", max_chars=200)
        view = st.segmented_control(
            t("chunks.view"),
            [_SINGLE, _TEXT],
            key=f"chunks_view:{current()}",
            default=_SINGLE,
            format_func=lambda each: t(f"chunks_view.{each}"),
            required=True,
            label_visibility="collapsed",
        )
    return words, view or _SINGLE


def _on_page(chosen: Sequence[tuple[int, StoredChunk]], *, key: str) -> Sequence[tuple[int, StoredChunk]]:
    pages = -(-len(chosen) // PAGE)
    if pages == 1:
        return chosen
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.session_state[key] = min(st.session_state.get(key, 1), pages)
        number = st.number_input(t("library.page"), 1, pages, key=key, width=140, label_visibility="collapsed")
        first, last = (number - 1) * PAGE, min(number * PAGE, len(chosen))
        st.caption(t("chunks.range", first=first + 1, last=last, count=count_words(len(chosen))))
    return chosen[first:last]
