"""One document of the library: its report with all its figures, its tags, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import streamlit as st

from settings import SettingsError
from store.errors import StoreError
from store.library import LONGEST_TAG, MOST_TAGS, StoredDocument
from ui import state
from ui.components.chunks import show_switch
from ui.components.document_view import open_document
from ui.components.documents import ask_delete, confirm_delete
from ui.components.failure import explain, explained
from ui.components.library_cutting import show_cutting, with_cutting
from ui.components.library_enrich import show_enrich_one
from ui.components.library_facts import Fact, facts
from ui.components.menus import close, menu_key
from ui.components.reasons import why
from ui.figures import byte_words, count_words
from ui.leaves import Place
from ui.safe import escape_markdown, shown_name, whole_name
from ui.strings import LANGUAGES, has, plain, t
from ui.wording import value_of

if TYPE_CHECKING:
    from ui.services import Services

_MOST_SKIPPED, _AGAIN = 100, "library_again"
_STAGES = ("load", "chunk", "embed", "store")


def show_document(services: Services, base: str, document: StoredDocument) -> None:
    """Everything about it."""
    with st.container(border=True, key="library_document"):
        _remarks(document)
        st.html(facts(_report(services, document)))
        _skipped(document.report.get("skipped") or [], document.report.get("skipped_why") or [])
        _tags(services, document)
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        show_switch(services, base, document, row, key="library_on")
        with row:
            if document.status == "ready" and st.button(t("view.open"), key="library_view", icon=":material/visibility:"):
                open_document(services, Place(document.doc_id), f"**{escape_markdown(shown_name(document.source))}**")
            _again(services, base, document)
            show_enrich_one(services, base, document)
            if st.button(t("documents.delete"), key="library_delete", icon=":material/delete:"):
                ask_delete(document, key="library_delete_yes")
            confirm_delete(services, base, document, key="library_delete_yes")


def report_facts(report: Mapping[str, Any]) -> list[Fact]:
    """All figures of a file's report, as words and values in plain text."""
    seconds = report.get("seconds") or {}
    made, stored = report.get("chunks"), report.get("chunks_stored")
    chunker, written = report.get("chunker"), report.get("written") or {}
    return [
        (plain("report.type"), report.get("type")),
        (plain("report.pages"), report.get("pages")),
        (plain("report.pages_without_text"), _count(report.get("pages_without_text")) if report.get("pages") else None),
        (plain("report.ocr_pages"), report.get("ocr_pages") or None),
        (plain("report.ocr_confidence"), _percent(report.get("ocr_confidence"))),
        (plain("report.encoding"), _with(report.get("encoding"), _percent(report.get("encoding_confidence")))),
        (plain("report.language"), LANGUAGES.get(str(report.get("language")), report.get("language"))),
        (plain("report.chars"), count_words(report.get("chars") or 0)),
        (plain("report.garbled"), _percent(report.get("garbled"), digits=1)),
        (plain("report.chunker"), value_of("ingest.chunker", chunker) if chunker else None),
        (plain("report.chunks"), plain("report.stored_of", stored=stored, made=made) if made is not None else None),
        (plain("report.written"), " · ".join(_written(kind, count) for kind, count in sorted(written.items()))),
        (plain("report.seconds"), " · ".join(_seconds(stage, seconds[stage]) for stage in _STAGES if stage in seconds)),
    ]


def _report(services: Services, document: StoredDocument) -> list[Fact]:
    size = services.library.files.size(document.version)
    status = f"status.{document.status}"
    return [
        (plain("report.name"), whole_name(document.source)),
        (plain("report.aliases"), ", ".join(whole_name(alias) for alias in document.aliases)),
        (plain("library.status"), plain(status) if has(status) else document.status),
        (plain("report.updated"), document.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")),
        (plain("report.size"), byte_words(size) if size is not None else None),
        *report_facts(document.report),
        (plain("report.version"), document.version[:12]),
    ]


def _remarks(document: StoredDocument) -> None:
    report = document.report
    if document.status == "empty":
        st.warning(why(report, str(report.get("reason") or "")) or t("status.empty"), icon=":material/block:")
    for warning in report.get("warnings") or ():
        st.warning(why(warning, str(warning["reason"])), icon=":material/warning:")


def _skipped(parts: list[list[str]], whys: list[dict[str, Any]]) -> None:
    """Parts of an archive or a mail that gave no text, each with its reason, which older reports have in English only."""
    if not parts:
        return
    with st.expander(t("report.skipped", count=len(parts)), icon=":material/inventory_2:"):
        shown = zip_longest(parts[:_MOST_SKIPPED], whys[:_MOST_SKIPPED])
        rows = ((whole_name(str(part[0])), why(told, str(part[1]), markdown=False)) for part, told in shown if part)
        st.html(facts(rows))
        if len(parts) > _MOST_SKIPPED:
            st.caption(t("report.more_skipped", count=len(parts) - _MOST_SKIPPED))


def _tags(services: Services, document: StoredDocument) -> None:
    known = {tag for each in services.library.documents(services.library.by_id(document.base_id)) for tag in each.tags}
    key = f"library_tags:{document.doc_id}"
    state.put(key, list(document.tags))

    def change() -> None:
        with explained():
            services.library.set_tags(document.doc_id, st.session_state[key])

    st.multiselect(
        t("limits.tags"),
        sorted(known),
        key=key,
        accept_new_options=True,
        max_selections=MOST_TAGS,
        placeholder=plain("library.tags_hint", longest=LONGEST_TAG),
        on_change=change,
        format_func=whole_name,
    )


def _again(services: Services, base: str, document: StoredDocument) -> None:
    with st.popover(t("reindex.one"), icon=":material/refresh:", key=menu_key(_AGAIN)):
        chosen = show_cutting(services, key=f"again:{document.doc_id}", chunker=None)
        if st.button(t("reindex.start"), key="library_again_start", type="primary"):
            try:
                services.reindexing.start(services.library.base(base), with_cutting(services, chosen), document)
            except (StoreError, SettingsError) as error:
                st.error(explain(error))
            else:
                close(_AGAIN)
                st.rerun()


def _count(value: Any) -> str | None:
    """A number of pages; older reports have a list of them."""
    return None if value is None else str(len(value) if isinstance(value, list) else value)


def _percent(share: Any, *, digits: int = 0) -> str | None:
    return None if share is None else f"{100 * float(share):.{digits}f} %"


def _with(word: Any, more: str | None) -> str | None:
    return None if not word else f"{word} ({more})" if more else str(word)


def _written(kind: str, count: int) -> str:
    return plain(f"written.{kind}", count=count_words(count)) if has(f"written.{kind}") else f"{kind} {count}"


def _seconds(stage: str, seconds: float) -> str:
    return f"{plain(f'stage.{stage}')} {seconds:.2f} s"
