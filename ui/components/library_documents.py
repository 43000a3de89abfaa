"""The documents of a base: searched, in pages of a list, each opened to its report and to what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from store.library import StoredDocument
from ui import state
from ui.components.library_document import show_document
from ui.figures import count_words
from ui.safe import escape_markdown, name_help, shown_name
from ui.strings import current, has, t

if TYPE_CHECKING:
    from ui.services import Services

PAGE = 20
_COLUMNS = 60
_ALL = "all"
KINDS = (_ALL, "ready", "warned", "switched_off", "empty", "pending")
_MARKS = {
    "ready": ":green[:material/check_circle:]",
    "warned": ":orange[:material/warning:]",
    "switched_off": ":gray[:material/visibility_off:]",
    "empty": ":orange[:material/block:]",
}
_WAITING = ":gray[:material/hourglass_empty:]"


def show_documents(services: Services, base: str) -> None:
    """The search, the list, and below the name that was clicked, the document."""
    documents = state.documents(services, base)
    st.markdown(f"#### {t('library.documents_title', base=base)}")
    if not documents:
        st.caption(t("library.no_documents"))
        return
    found = _searched(documents)
    if not found:
        st.caption(t("library.none_found"))
    shown = _on_page(found)
    opened = st.query_params.get("d")
    with st.container(key="library_list", gap=None):
        for document in shown:
            _row(document, is_open=document.doc_id == opened)
            if document.doc_id == opened:
                show_document(services, base, document)


def kind_of(document: StoredDocument) -> str:
    """How it stands: ready, warned (ready, with something to know), switched_off, empty or pending."""
    if document.status == "ready":
        if not document.enabled:
            return "switched_off"
        return "warned" if document.report.get("warnings") else "ready"
    return "empty" if document.status == "empty" else "pending"


def matching(documents: list[StoredDocument], words: str, kind: str) -> list[StoredDocument]:
    """The documents of this kind ("all": of any) in whose names or tags each of the words is, whatever its case."""
    wanted = words.casefold().split()
    fitting = (document for document in documents if kind in (_ALL, kind_of(document)))
    return [
        document
        for document in fitting
        if all(word in " ".join((document.source, *document.aliases, *document.tags)).casefold() for word in wanted)
    ]


def _searched(documents: list[StoredDocument]) -> list[StoredDocument]:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        words = st.text_input(t("library.search"), key="library_search", placeholder=t("library.search_hint"), max_chars=200)
        kind = st.selectbox(
            t("library.status"),
            KINDS,
            key=f"library_kind:{current()}",
            format_func=lambda each: t(f"document_kind.{each}"),
            width=200,
        )
    return matching(documents, words, kind)


def _on_page(found: list[StoredDocument]) -> list[StoredDocument]:
    """Those of the chosen page of the list; the choice is there when there is more than one."""
    pages = max(1, -(-len(found) // PAGE))
    if pages == 1:
        return found
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        key = "library_page"
        st.session_state[key] = min(st.session_state.get(key, 1), pages)
        number = st.number_input(t("library.page"), 1, pages, key=key, width=140, label_visibility="collapsed")
        first = (number - 1) * PAGE
        last = min(first + PAGE, len(found))
        st.caption(t("library.range", first=first + 1, last=last, count=count_words(len(found))))
    return found[first:last]


def _row(document: StoredDocument, *, is_open: bool) -> None:
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    name = escape_markdown(shown_name(document.source, columns=_COLUMNS))
    row.button(
        f"{_MARKS.get(kind_of(document), _WAITING)} {f'**{name}**' if is_open else name}",
        key=f"document:{document.doc_id}",
        type="tertiary",
        help=name_help(document.source, columns=_COLUMNS),
        on_click=_open,
        args=("" if is_open else document.doc_id,),
    )
    tags = "".join(f" :gray-badge[{escape_markdown(tag)}]" for tag in document.tags)
    row.markdown(f":small[:gray[{_about(document)}]]{tags}", width="stretch")


def _open(doc_id: str) -> None:
    if doc_id:
        st.query_params["d"] = doc_id
    else:
        st.query_params.pop("d", None)


def _about(document: StoredDocument) -> str:
    if document.status != "ready":
        return t(f"status.{document.status}") if has(f"status.{document.status}") else escape_markdown(document.status)
    words = [t("upload.chunks", count=count_words(document.chunks))]
    if document.report.get("pages"):
        words.insert(0, t("documents.pages", count=document.report["pages"]))
    words.append(escape_markdown(document.updated_at.astimezone().strftime("%Y-%m-%d")))
    return " · ".join(words)
