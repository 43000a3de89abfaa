"""The documents of the base in use, and deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from store.library import StoredDocument
from ui import state
from ui.components.menus import ask, confirm
from ui.safe import escape_markdown, name_help, shown_name, whole_name
from ui.strings import has, t

if TYPE_CHECKING:
    from ui.services import Services

_MOST_SHOWN = 60
_FILTER_FROM = 12
_COLUMNS = 44
_MARKS = {
    "pending": ":gray[:material/hourglass_empty:]",
    "empty": ":orange[:material/warning:]",
    "failed": ":red[:material/error:]",
}


def show_documents(services: Services, base: str) -> None:
    """The list, with a filter once it is long."""
    documents = state.documents(services, base)
    with st.expander(t("documents.title", count=len(documents)), key="documents", icon=":material/description:"):
        if not documents:
            st.caption(t("documents.none"))
        if len(documents) >= _FILTER_FROM:
            wanted = st.text_input(t("documents.filter"), key="documents_filter").strip().lower()
            documents = [each for each in documents if wanted in each.source.lower()]
        with st.container(key="document_list", gap=None, height=320 if len(documents) > 7 else "content"):
            for document in documents[:_MOST_SHOWN]:
                _row(services, base, document)
        if len(documents) > _MOST_SHOWN:
            st.caption(t("documents.more", count=len(documents) - _MOST_SHOWN))


def _row(services: Services, base: str, document: StoredDocument) -> None:
    name, remove = st.columns([7, 1], vertical_alignment="center", gap="small")
    mark = _MARKS.get(document.status, "")
    words = f"{mark} {escape_markdown(shown_name(document.source, columns=_COLUMNS))} :small[:gray[{_about(document)}]]"
    name.markdown(words, help=name_help(document.source, columns=_COLUMNS))
    if remove.button("", key=f"delete:{document.doc_id}", icon=":material/delete:", type="tertiary", help=t("documents.delete")):
        ask_delete(document, key="document_delete_yes")
    confirm_delete(services, base, document, key="document_delete_yes")


def _about(document: StoredDocument) -> str:
    if document.status != "ready":
        return t(f"status.{document.status}") if has(f"status.{document.status}") else escape_markdown(document.status)
    words = [t("upload.chunks", count=document.chunks)]
    if document.report.get("pages"):
        words.insert(0, t("documents.pages", count=document.report["pages"]))
    if document.aliases:
        words.append(t("documents.aliases", names=", ".join(shown_name(alias, columns=_COLUMNS) for alias in document.aliases)))
    return " · ".join(words)


def ask_delete(document: StoredDocument, *, key: str) -> None:
    """Have `confirm_delete` with this key ask for the document."""
    ask(f"{key}:{document.doc_id}")


def confirm_delete(services: Services, base: str, document: StoredDocument, *, key: str) -> None:
    """Ask once more, and say under which of its names the document stays; `key` is the button's."""
    words = [t("documents.delete_text", name=whole_name(document.source), base=base)]
    if document.aliases:
        heir, *others = (whole_name(alias) for alias in document.aliases)
        words.append(t("documents.delete_heir", heir=heir))
        words += [t("documents.delete_others", names=", ".join(others))] if others else []

    def delete() -> None:
        services.delete_document(base, document.source)

    confirm(f"{key}:{document.doc_id}", t("documents.delete_title"), words, yes=t("documents.delete"), delete=delete, key=key)
