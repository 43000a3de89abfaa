"""One chunk: where it lies, its text with its segments, and switching it off or correcting it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import streamlit as st

from ingest.edits import LONGEST
from language import width
from store.stored import StoredChunk
from ui.components.chunks_text import occurrences
from ui.components.failure import explained
from ui.components.menus import ask, close, confirm, menu_key
from ui.components.sources import open_passage
from ui.figures import count_words
from ui.safe import escape_html
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services

Span = tuple[int, int]
_TALL, _WIDE = 320, 640
"""Of the box for a correction, in pixels: about sixteen lines of eighty characters, where the window has room for them."""


def show_chunk(services: Services, base: str, chunk: StoredChunk, *, number: int, words: str, segments: Sequence[Span]) -> None:
    """Its card; `segments` are places in the document, `words` are marked."""
    with st.container(border=True, key=f"chunk:{chunk.id}", gap="xsmall"):
        st.html(chunk_html(chunk, number=number, words=words, segments=segments))
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            label = t("chunks.switch_off" if chunk.enabled else "chunks.switch_on")
            icon = ":material/visibility_off:" if chunk.enabled else ":material/visibility:"
            st.button(
                label, key=f"chunk_switch:{chunk.id}", icon=icon, type="tertiary", on_click=_switch, args=(services, base, chunk)
            )
            _correction(services, base, chunk)
            if st.button(t("sources.open"), key=f"chunk_open:{chunk.id}", icon=":material/visibility:", type="tertiary"):
                open_passage(services, chunk._asdict())


def place_words(chunk: StoredChunk) -> str:
    """Where the chunk lies, as plain text: page or rows, place in the text, width, heading."""
    words = [plain("passages.page", page=chunk.page)] if chunk.page is not None else []
    words.append(plain("chunks.span", start=count_words(chunk.start), end=count_words(chunk.end)))
    words.append(plain("chunks.width", width=count_words(round(width(chunk.text)))))
    return " · ".join([*words, chunk.heading] if chunk.heading else words)


def chunk_html(chunk: StoredChunk, *, number: int, words: str, segments: Sequence[Span]) -> str:
    """The head and the text as HTML; a corrected text has no segments of the document, and has that below it."""
    marks = [plain("chunks.is_off")] if not chunk.enabled else []
    marks += [plain("passages.edited")] if chunk.edited else []
    badges = "".join(f'<span class="gb-term">{escape_html(mark)}</span>' for mark in marks)
    place = escape_html(place_words(chunk))
    head = (
        f'<header class="gb-head"><span class="gb-n">{number}</span><span class="gb-where">{place}</span>'
        f'{badges}</header><p class="gb-terms"><code>{escape_html(chunk.id)}</code></p>'
    )
    cuts = [] if chunk.edited else [start - chunk.start for start, _ in segments if chunk.start < start < chunk.end]
    body = f'<p class="gb-text{"" if chunk.enabled else " gb-off"}">{_body(chunk.text, words, cuts)}</p>'
    if not chunk.edited:
        return head + body
    original = f'<p class="gb-text">{escape_html(chunk.original)}</p>'
    return (
        f'{head}{body}<div class="gb-card"><span class="gb-where">{escape_html(plain("chunks.original"))}</span>{original}</div>'
    )


def _body(text: str, words: str, cuts: Sequence[int]) -> str:
    """The text with the words marked, and a thin line where a segment begins."""
    found, edges = occurrences(text, words), {0, len(text), *cuts}
    edges |= {place for span in found for place in span}
    pieces = []
    for start, end in pairwise(sorted(edges)):
        piece = escape_html(text[start:end])
        piece = f"<mark>{piece}</mark>" if any(first <= start and last >= end for first, last in found) else piece
        pieces.append(f'<i class="gb-seg"></i>{piece}' if start in cuts else piece)
    return "".join(pieces)


def _switch(services: Services, base: str, chunk: StoredChunk) -> None:
    with explained():
        services.switch(base, chunk.source, on=not chunk.enabled, chunk_ids=[chunk.id])


def _correction(services: Services, base: str, chunk: StoredChunk) -> None:
    key, menu = f"chunk_text:{chunk.id}", f"chunk_correct:{chunk.id}"

    def save() -> None:
        with explained():
            services.correct(base, chunk.id, st.session_state[key])
            close(menu)

    def revert() -> None:
        st.session_state.pop(key, None)
        services.revert(base, chunk.id)

    with st.popover(t("chunks.correct"), icon=":material/edit:", key=menu_key(menu), type="tertiary"):
        with st.form(f"chunk_form:{chunk.id}", border=False):
            label, about = t("chunks.text"), t("chunks.correct_help")
            st.text_area(label, chunk.text, key=key, max_chars=LONGEST, height=_TALL, width=_WIDE, help=about)
            st.form_submit_button(t("library.save"), on_click=save, type="primary")
        if chunk.edited:
            st.button(t("chunks.revert"), key=f"chunk_revert:{chunk.id}", icon=":material/undo:", on_click=ask, args=(key, menu))
    title, words = t("chunks.revert_title"), [t("chunks.revert_text")]
    confirm(key, title, words, yes=t("chunks.revert"), delete=revert, key="chunk_revert_yes")
